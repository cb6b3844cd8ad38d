import { NotFound } from '../../base/errors.ts';

/**
 * Returns the result of reading a cube; undefined if the cube does not exist. A collection has no cube while it is
 * being created or removed, or after a crash during either. Such a collection counts as empty, and `collections check`
 * reports it.
 */
export async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

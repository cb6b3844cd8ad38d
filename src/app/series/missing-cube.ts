import { NotFound } from '../../base/errors.ts';

/**
 * Result of reading a cube; undefined when the cube does not exist. A collection has no cube while it is created
 * or removed, or after a crash during that. It then counts as empty, and `collections check` reports it.
 */
export async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

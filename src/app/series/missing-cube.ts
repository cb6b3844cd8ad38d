import { NotFound } from '../../base/errors.ts';

/**
 * What is read of a cube; undefined where it is not there, as while its collection is being made or removed, or after a
 * crash then: a collection without a cube holds nothing. `collections check` tells of it.
 */
export async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

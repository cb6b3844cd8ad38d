import { createHash, timingSafeEqual } from 'node:crypto';

const NO_HASH = Buffer.alloc(32);

/** SHA-256 of a secret. One round is enough: our secrets have at least 190 random bits, which cannot be guessed. */
export function secretHash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Whether two hashes are equal; false when `kept` is undefined, which takes the same time as a comparison. */
export function isSameHash(given: Buffer, kept: Buffer | undefined): boolean {
  return timingSafeEqual(given, kept ?? NO_HASH) && kept !== undefined;
}

import { createHmac, randomBytes } from 'node:crypto';
import { isSameHash, secretHash } from './secret-hash.ts';

const SECRET_BYTES = 32; // 256 random bits cannot be guessed, so the stored hash needs only one round of SHA-256
const REFRESH_PREFIX = 'gwrt_';

/** A random text that cannot be guessed, and its hash, which is stored. */
export interface NewSecret {
  readonly text: string;
  readonly hash: Buffer;
}

/** Makes the secret of an OAuth client. It has only letters, digits, `-` and `_`, so HTTP Basic needs no encoding. */
export function newClientSecret(): NewSecret {
  return secretOf('gwcs_', randomBytes(SECRET_BYTES));
}

/** Makes the first refresh token of a grant. */
export function newRefreshToken(): NewSecret {
  return secretOf(REFRESH_PREFIX, randomBytes(SECRET_BYTES));
}

/** Makes the salt of the token that follows a refresh token. */
export function newSuccessorSalt(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/**
 * Returns the refresh token that follows another one. The same token and salt give the same successor, so a lost answer
 * can be repeated though no token is stored. Whoever lacks either of the two cannot compute it.
 */
export function refreshTokenAfter(text: string, salt: Buffer): NewSecret {
  return secretOf(REFRESH_PREFIX, createHmac('sha256', salt).update(text).digest());
}

/** Whether a secret has a given hash; false without a hash. Takes the same time with and without a hash. */
export function isSecretOf(text: string, hash: Buffer | undefined): boolean {
  return isSameHash(secretHash(text), hash);
}

function secretOf(prefix: string, bytes: Buffer): NewSecret {
  const text = prefix + bytes.toString('base64url');
  return { text, hash: secretHash(text) };
}

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32; // 256 bits: cannot be guessed, so one round of SHA-256 keeps it

/** A new random text that cannot be guessed, and the hash that is kept of it. */
export interface NewSecret {
  readonly text: string;
  readonly hash: Buffer;
}

/** Makes the secret of an OAuth client. Letters, digits, `-` and `_` only: HTTP Basic needs nothing encoded in it. */
export function newClientSecret(): NewSecret {
  return newSecret('gwcs_');
}

/** Makes a refresh token. */
export function newRefreshToken(): NewSecret {
  return newSecret('gwrt_');
}

/** What is kept of a secret or a refresh token. */
export function secretHash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Whether a secret is the one of a hash; the same work is done where there is no hash to compare with. */
export function isSecretOf(text: string, hash: Buffer | undefined): boolean {
  const given = secretHash(text);
  return timingSafeEqual(given, hash ?? NO_HASH) && hash !== undefined;
}

const NO_HASH = Buffer.alloc(32);

function newSecret(prefix: string): NewSecret {
  const text = prefix + randomBytes(SECRET_BYTES).toString('base64url');
  return { text, hash: secretHash(text) };
}

import { randomBytes } from 'node:crypto';
import { isSameHash, secretHash } from './secret-hash.ts';

const SECRET_BYTES = 32; // 256 random bits cannot be guessed, so the stored hash needs only one round of SHA-256

/** A random text that cannot be guessed, and its hash, which is stored. */
export interface NewSecret {
  readonly text: string;
  readonly hash: Buffer;
}

/** Makes the secret of an OAuth client. It has only letters, digits, `-` and `_`, so HTTP Basic needs no encoding. */
export function newClientSecret(): NewSecret {
  return newSecret('gwcs_');
}

/** Makes a refresh token. */
export function newRefreshToken(): NewSecret {
  return newSecret('gwrt_');
}

/** Whether a secret has a given hash; false without a hash. Takes the same time with and without a hash. */
export function isSecretOf(text: string, hash: Buffer | undefined): boolean {
  return isSameHash(secretHash(text), hash);
}

function newSecret(prefix: string): NewSecret {
  const text = prefix + randomBytes(SECRET_BYTES).toString('base64url');
  return { text, hash: secretHash(text) };
}

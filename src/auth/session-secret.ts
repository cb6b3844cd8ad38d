import { randomBytes } from 'node:crypto';
import { secretHash } from './secret-hash.ts';

const SECRET_BYTES = 32; // 256 random bits
const FORM = /^[\w-]{43}$/; // base64url of 32 bytes

/** Makes the secret of a session. */
export function newSessionSecret(): { readonly text: string; readonly hash: Buffer } {
  const text = randomBytes(SECRET_BYTES).toString('base64url');
  return { text, hash: secretHash(text) };
}

/** Whether a text has the form of a session's secret. Any other text is refused without a database query. */
export function isSessionSecret(text: string): boolean {
  return FORM.test(text);
}

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12; // NIST SP 800-38D section 8.2: 96 bits
const TAG_BYTES = 16; // the full length of a GCM authentication tag

/** Length of a key [bytes]: AES-256. */
export const SEALING_KEY_BYTES = 32;
/** Bytes that sealing adds. */
export const SEAL_BYTES = NONCE_BYTES + TAG_BYTES;

/**
 * Encrypts bytes with AES-256-GCM. The result is the nonce, the tag, then the ciphertext.
 * @param about what the bytes are; they open only where the same is expected
 */
export function sealBytes(key: Buffer, plain: Uint8Array, about = ''): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about));
  const text = [cipher.update(plain), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...text]);
}

/** Decrypts what {@link sealBytes} returned. @throws Error when it was sealed under another key, or altered */
export function openBytes(key: Buffer, sealed: Buffer, about = ''): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES));
  decipher.setAAD(Buffer.from(about)).setAuthTag(sealed.subarray(NONCE_BYTES, SEAL_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(SEAL_BYTES)), decipher.final()]);
}

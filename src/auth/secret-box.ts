import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

const NONCE_BYTES = 12; // NIST SP 800-38D section 8.2: 96 bits
const TAG_BYTES = 16; // the whole authentication tag
const KEY_BYTES = 32; // AES-256

/** Encrypts what must be read again but never lie open: AES-256-GCM, nonce and tag before the text. */
export interface SecretBox {
  seal(plain: string): Buffer;
  /** @throws Error when the box was made under another key, or altered */
  open(box: Buffer): string;
}

/** A box under one key of 32 bytes. */
export function secretBox(key: Buffer): SecretBox {
  if (key.length !== KEY_BYTES)
    throw new RangeError(`expected a key of ${KEY_BYTES} bytes, got ${key.length}`);
  return {
    seal(plain) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]);
    },
    open(box) {
      const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(box.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const text = box.subarray(NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
    },
  };
}

/** Reads the key in a file, or makes one there once (mode 0600); two processes at once end with the same key. */
export async function secretKeyFile(path: string): Promise<Buffer> {
  for (;;) {
    try {
      const key = Buffer.from((await readFile(path, 'utf8')).trim(), 'base64');
      if (key.length !== KEY_BYTES) throw new Error(`${path} does not hold base64 of ${KEY_BYTES} bytes`);
      return key;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const draft = `${path}.${randomUUID()}`;
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    // A link is made whole or not at all, and never over another: the first one names the key.
    try {
      await link(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      await unlink(draft);
    }
  }
}

import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { link, mkdir, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openBytes, sealBytes, SEALING_KEY_BYTES as KEY_BYTES } from '../base/sealed-bytes.ts';

const LOOK_MS = 200; // minimum time between two checks whether the key file was replaced

/** Encrypts secrets for storage with AES-256-GCM. A box is the nonce, the tag, then the ciphertext. */
export interface SecretBox {
  seal(plain: string): Buffer;
  /** @throws Error when the box was sealed under another key or altered */
  open(box: Buffer): string;
}

/**
 * Creates a box that seals with the first key and opens with any of the keys.
 * @throws RangeError when no key is given, or a key is not 32 bytes long
 */
export function secretBox(...keys: readonly Buffer[]): SecretBox {
  const [sealing] = keys;
  if (sealing === undefined) throw new RangeError('expected a key, got none');
  for (const { length } of keys)
    if (length !== KEY_BYTES) throw new RangeError(`expected a key of ${KEY_BYTES} bytes, got ${length}`);
  return {
    seal: (plain) => sealBytes(sealing, Buffer.from(plain, 'utf8')),
    open(box) {
      let failure: unknown;
      for (const key of keys) {
        try {
          return openBytes(key, box).toString('utf8');
        } catch (error) {
          failure ??= error;
        }
      }
      throw failure;
    },
  };
}

/**
 * Creates a box that uses the keys in a file. Creates the file if it is missing, and reads it again when it has been
 * replaced.
 */
export async function secretFileBox(path: string): Promise<SecretBox> {
  await secretKeyFile(path);
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let seen = '';
  let box: SecretBox | undefined;
  const current = (): SecretBox => {
    const now = performance.now();
    if (box !== undefined && now - lookedAtMs < LOOK_MS) return box;
    lookedAtMs = now;
    const { ino, mtimeMs } = statSync(path);
    const state = `${ino} ${mtimeMs}`;
    if (box === undefined || state !== seen) box = secretBox(...keysIn(path, readFileSync(path, 'utf8')));
    seen = state;
    return box;
  };
  return {
    seal: (plain) => current().seal(plain),
    open(sealed) {
      try {
        return current().open(sealed);
      } catch {
        lookedAtMs = Number.NEGATIVE_INFINITY; // the file may just have been replaced
        return current().open(sealed);
      }
    },
  };
}

/**
 * Adds a new key at the start of a key file. The older keys stay in the file, so that older boxes can still be opened.
 * @returns a function that removes old keys. It keeps the key that was the newest before this call, and all newer keys.
 * Call it when no box is sealed under a removed key any more
 */
export async function renewSecretKeyFile(path: string): Promise<() => Promise<void>> {
  const keys = keysIn(path, await readFile(path, 'utf8'));
  await rename(await draftFile(path, [randomBytes(KEY_BYTES), ...keys]), path);
  // Waits until all processes have noticed the new file and use the new key.
  await new Promise((resolve) => setTimeout(resolve, 2 * LOOK_MS));
  return async () => {
    const now = keysIn(path, await readFile(path, 'utf8'));
    const last = now.findIndex((key) => key.equals(keys[0]!));
    if (last >= 0 && last < now.length - 1) await rename(await draftFile(path, now.slice(0, last + 1)), path);
  };
}

/**
 * Reads the newest key in a file. Creates the file (mode 0600) if it is missing; concurrent processes get the same
 * key.
 */
export async function secretKeyFile(path: string): Promise<Buffer> {
  for (;;) {
    try {
      return keysIn(path, await readFile(path, 'utf8'))[0]!;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const draft = await draftFile(path, [randomBytes(KEY_BYTES)]);
    // Linking is atomic and never replaces an existing file, so all processes use the key of the first one.
    try {
      await link(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      await unlink(draft);
    }
  }
}

/** Reads all keys in a file, newest first. */
export async function secretKeysIn(path: string): Promise<readonly Buffer[]> {
  return keysIn(path, await readFile(path, 'utf8'));
}

/** Parses the text of a key file: one key per line, newest first. @throws Error naming the file */
function keysIn(path: string, text: string): readonly Buffer[] {
  const keys = text
    .trim()
    .split(/\s+/)
    .map((line) => Buffer.from(line, 'base64'));
  if (keys.some(({ length }) => length !== KEY_BYTES))
    throw new Error(`${path} does not hold base64 of ${KEY_BYTES} bytes`);
  return keys;
}

async function draftFile(path: string, keys: readonly Buffer[]): Promise<string> {
  const draft = `${path}.${randomUUID()}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(keys.map((key) => `${key.toString('base64')}\n`).join(''));
    await file.sync();
  } finally {
    await file.close();
  }
  return draft;
}

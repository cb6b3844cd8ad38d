import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { InvalidInput } from '../base/errors.ts';

const MAGIC = Buffer.from('age-encryption.org/v1\n'); // first line of an age file: https://c2sp.org/age

/**
 * Encrypts an archive to the holders of keys, in the format of age. Whoever lacks their keys can neither read nor alter
 * it.
 * @param recipients public keys (`age1...`)
 * @throws InvalidInput naming a recipient that is no public key of age
 */
export async function encrypted(archive: Readable, recipients: readonly string[]): Promise<Readable> {
  const { Encrypter } = await age();
  const encrypter = new Encrypter();
  for (const recipient of recipients)
    try {
      encrypter.addRecipient(recipient);
    } catch (cause) {
      throw new InvalidInput(`--recipient: expected public keys of age (age1...), got ${recipient}`, {
        cause,
      });
    }
  const sealed = await encrypter.encrypt(Readable.toWeb(archive) as globalThis.ReadableStream<Uint8Array>);
  return Readable.fromWeb(sealed as ReadableStream);
}

/**
 * Opens an archive that may be encrypted.
 * @param identity content of a file of secret keys, of which one must open it; undefined: it must be a plain one
 * @throws InvalidInput for an encrypted archive without identities or the reverse; Error when no identity fits
 */
export async function openArchive(
  path: string,
  identity: string | undefined,
): Promise<AsyncIterable<Buffer>> {
  const identities = identity === undefined ? undefined : identitiesIn(identity);
  const file = await open(path);
  const start = Buffer.alloc(MAGIC.length);
  await file.read(start, 0, start.length, 0);
  const isEncrypted = start.equals(MAGIC);
  if (isEncrypted === (identities === undefined)) {
    await file.close();
    throw new InvalidInput(
      isEncrypted
        ? `FILE: ${path} is encrypted: expected --identity with a file of the secret key`
        : `FILE: ${path} is not encrypted, although --identity was given: expected a backup for that key`,
    );
  }
  const bytes = file.createReadStream({ start: 0 });
  if (identities === undefined) return bytes;
  try {
    const { Decrypter } = await age();
    const decrypter = new Decrypter();
    for (const key of identities) decrypter.addIdentity(key);
    const plain = await decrypter.decrypt(Readable.toWeb(bytes) as globalThis.ReadableStream<Uint8Array>);
    return chunksOf(plain);
  } catch (error) {
    bytes.destroy(); // nothing else closes the file
    throw error;
  }
}

/** Loads the library when it is needed: most commands need none of it. */
const age = () => import('age-encryption');

async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of stream)
    yield Buffer.from(buffer, byteOffset, byteLength);
}

/** A new pair of keys of age. */
export interface BackupKey {
  readonly identity: string;
  readonly recipient: string;
}

/** Makes a pair of keys for encrypted backups. */
export async function newBackupKey(): Promise<BackupKey> {
  const { generateX25519Identity, identityToRecipient } = await age();
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/**
 * Returns the secret keys in the text of an identity file, as `age-keygen` writes it: one key a line, `#` for comments.
 * @throws InvalidInput when there is none
 */
function identitiesIn(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim());
  const found = lines.filter((line) => line.startsWith('AGE-SECRET-KEY-'));
  if (found.length === 0)
    throw new InvalidInput(
      '--identity: expected a file with a line AGE-SECRET-KEY-..., as age-keygen writes it',
    );
  return found;
}

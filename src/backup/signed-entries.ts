import { InvalidInput } from '../base/errors.ts';
import { SIGNATURE_NAME, signerOf } from './archive-signature.ts';
import { Checksums, SUMS_NAME } from './checksums.ts';
import type { TarEntry } from './tar.ts';

const MOST_SIGNATURE_BYTES = 1024;

/** What is demanded of the end of an archive. */
export interface SignedEnd {
  /** Public key that must have signed it; undefined: any. */
  readonly signer: string | undefined;
  /** Maximum length of the list of checksums [bytes]. */
  readonly mostSumsBytes: number;
  /** Receives the public key that signed it, when all of it was read. */
  readonly onSigner: (key: string) => void;
}

/**
 * Returns the entries of an archive that ends with the checksums of all its entries and a signature of these. They are
 * compared at the end, so nothing that was read may count before.
 * @throws Error saying what of the archive is damaged or altered
 */
export async function* signedEntries(
  entries: AsyncIterable<TarEntry>,
  { signer, mostSumsBytes, onSigner }: SignedEnd,
): AsyncGenerator<TarEntry> {
  let [checked, signedBy]: (string | undefined)[] = [];
  const sums = new Checksums();
  for await (const found of entries) {
    if (signedBy !== undefined) throw new Error(`${found.name} follows its signature`);
    if (checked !== undefined) {
      if (found.name !== SIGNATURE_NAME) throw new Error(`${found.name} follows its checksums`);
      signedBy = signerOf(await textOf(found, MOST_SIGNATURE_BYTES), checked, signer);
    } else if (found.name === SUMS_NAME) {
      checked = await textOf(found, mostSumsBytes);
      sums.compare(checked);
    } else yield sums.take(found);
  }
  if (signedBy === undefined) throw new Error('it is not signed');
  onSigner(signedBy);
}

/** Reads an entry as UTF-8. @throws Error when it is longer than `most` bytes */
export async function textOf({ name, size, content }: TarEntry, most: number): Promise<string> {
  if (!(size <= most)) throw new Error(`${name} has ${size} bytes; expected at most ${most}`);
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

/** Errors that name the archive and what cannot be done with it. */
export class ArchiveErrors {
  readonly #path: string;
  readonly #done: 'imported' | 'restored';

  constructor(path: string, done: 'imported' | 'restored') {
    this.#path = path;
    this.#done = done;
  }

  /** Names the archive in an error; an error of ours stays as it is. */
  naming(cause: unknown): InvalidInput {
    if (cause instanceof InvalidInput) return cause;
    const { message } = cause as Error;
    return new InvalidInput(`FILE: ${this.#path} cannot be ${this.#done}: ${message}`, { cause });
  }

  /** Returns the same content, whose errors name the archive. */
  async *within(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* content;
    } catch (cause) {
      throw this.naming(cause);
    }
  }
}

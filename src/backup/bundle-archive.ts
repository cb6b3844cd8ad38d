import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BundleDraft, BundleFiles, BundleMember } from '../app/bundles/bundle.ts';
import { syncFolder } from '../base/durable-file.ts';
import { InvalidInput } from '../base/errors.ts';
import { archiveSigner, SIGNATURE_NAME, signerOf } from './archive-signature.ts';
import { Checksums, SUMS_NAME } from './checksums.ts';
import { readTar, type TarEntry, TarWriter } from './tar.ts';

const MOST_SUMS_BYTES = 2 ** 27; // list of digests of a million members
const MOST_SIGNATURE_BYTES = 1024;

/**
 * Files of bundles: tar archives with the digests of all members and a signature at the end.
 * @param signingKey path of the key that signs them; it is made at the first use
 */
export function bundleArchives(signingKey: string): BundleFiles {
  return {
    create: (path) => createArchive(path, signingKey),
    read: (path, signer, onSigner) => membersOf(path, signer, onSigner),
  };
}

async function createArchive(path: string, signingKey: string): Promise<BundleDraft> {
  const taken = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    throw new InvalidInput(`--out: cannot make ${path}: ${(cause as Error).message}`, { cause });
  });
  await taken.close();
  const draft = `${path}.part`;
  const out = createWriteStream(draft, { flags: 'w', mode: 0o600, flush: true });
  const archive = new PassThrough();
  const written = pipeline(archive, out);
  written.catch((error: Error) => archive.destroy(error)); // so that the writer fails too, and waits for nothing
  const tar = new TarWriter(archive);
  const sums = new Checksums();
  const entryOf = ({ name, size, content }: BundleMember): TarEntry => ({ name, size, mode: 0o600, content });
  const text = (name: string, value: string): TarEntry => {
    const bytes = Buffer.from(value);
    return entryOf({ name, size: bytes.length, content: one(bytes) });
  };
  return {
    add: (member) => tar.add(sums.take(entryOf(member))),
    async finish() {
      const signer = await archiveSigner(signingKey);
      await tar.add(text(SUMS_NAME, sums.text()));
      await tar.add(text(SIGNATURE_NAME, signer.sign(sums.text())));
      await tar.end();
      await written;
      await rename(draft, path);
      await syncFolder(dirname(path));
      return { bytes: out.bytesWritten, signedBy: signer.publicKey };
    },
    async abandon() {
      archive.destroy();
      await written.catch(() => undefined);
      await rm(draft, { force: true });
      await rm(path, { force: true });
    },
  };
}

async function* membersOf(
  path: string,
  signer: string | undefined,
  onSigner: (key: string) => void,
): AsyncGenerator<BundleMember> {
  let [checked, signedBy]: (string | undefined)[] = [];
  const sums = new Checksums();
  try {
    const file = createReadStream(path) as AsyncIterable<Buffer>;
    for await (const found of readTar(file)) {
      if (signedBy !== undefined) throw new Error(`${found.name} follows its signature`);
      if (checked !== undefined) {
        if (found.name !== SIGNATURE_NAME) throw new Error(`${found.name} follows its digests`);
        signedBy = signerOf(await textOf(found, MOST_SIGNATURE_BYTES), checked, signer);
      } else if (found.name === SUMS_NAME) {
        checked = await textOf(found, MOST_SUMS_BYTES);
        sums.compare(checked);
      } else {
        const { name, size, content } = sums.take(found);
        yield { name, size, content: named(path, content) };
      }
    }
    if (signedBy === undefined) throw new Error('it has no signature at its end');
  } catch (cause) {
    throw unreadable(path, cause);
  }
  onSigner(signedBy);
}

async function* named(path: string, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* content;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): InvalidInput {
  if (cause instanceof InvalidInput) return cause;
  return new InvalidInput(`FILE: ${path} cannot be imported: ${(cause as Error).message}`, { cause });
}

async function textOf({ name, size, content }: TarEntry, most: number): Promise<string> {
  if (!(size <= most)) throw new Error(`${name} has ${size} bytes; expected at most ${most}`);
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BundleDraft, BundleFiles, BundleMember } from '../app/bundles/bundle.ts';
import { syncFolder } from '../base/durable-file.ts';
import { InvalidInput } from '../base/errors.ts';
import { archiveSigner, SIGNATURE_NAME } from './archive-signature.ts';
import { Checksums, SUMS_NAME } from './checksums.ts';
import { ArchiveErrors, signedEntries } from './signed-entries.ts';
import { readTar, type TarEntry, TarWriter } from './tar.ts';

const MOST_SUMS_BYTES = 2 ** 27; // list of digests of a million members

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
  const errors = new ArchiveErrors(path, 'imported');
  try {
    const end = { signer, mostSumsBytes: MOST_SUMS_BYTES, onSigner };
    for await (const { name, size, content } of signedEntries(readTar(createReadStream(path)), end))
      yield { name, size, content: errors.within(content) };
  } catch (cause) {
    throw errors.naming(cause);
  }
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

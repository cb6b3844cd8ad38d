import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  AccessRefused,
  type Downloaded,
  type Downloads,
  type RemoteSize,
} from '../../app/layers/install/downloads.ts';
import { InvalidInput, NotFound, UpstreamUnavailable } from '../../base/errors.ts';
import { AddressRefused } from '../../net/guarded-connect.ts';
import { type GuardedReader, ReadFailed, type ReadPiece } from '../../net/guarded-reader.ts';

const PIECE_BYTES = 2 ** 22; // one request; what a break costs at most
const MOST_MADE_BYTES = 2 ** 28; // maximum size of an answer that is made for the request
const MOST_WHOLE_BYTES = 2 ** 29; // maximum size of a file of a server without ranges: it is held in memory
const MOST_BYTES = 2 ** 34; // maximum size of a file: more than any that is fetched (our choice)
const HEAD_BYTES = 200; // enough to recognise a format
const MOST_STARTS = 3; // how often a file that changes while it is read is begun

/** What is known of an unfinished file, in a file beside it. */
interface Begun {
  readonly url: string;
  readonly size: number;
  readonly version: string | null;
}

/** The file changed on the server while it was read. */
class Changed extends Error {}

/**
 * Downloads files with a guarded reader, in pieces that continue after a break.
 * @param reader opened at the first download
 * @param hide removes secrets from addresses in messages
 */
export function fileDownloads(reader: () => GuardedReader, hide: (text: string) => string): Downloads {
  return {
    size: (url) => told(hide, url, () => sizeOf(reader(), url)),
    fetch: (url, path, progress) =>
      told(hide, url, async () => {
        await mkdir(dirname(path), { recursive: true });
        for (let start = 1; ; start++) {
          try {
            return await inPieces(reader(), url, path, progress);
          } catch (error) {
            if (error instanceof ReadFailed && error.status === 200)
              return await inWhole(reader(), url, path, progress);
            if (!(error instanceof Changed)) throw error;
            await forget(path);
            if (start === MOST_STARTS)
              throw new UpstreamUnavailable(
                `${hide(url)}: the file changes while it is read; try again later`,
              );
          }
        }
      }),
    fetchMade: (url, path) =>
      told(hide, url, async () => {
        await mkdir(dirname(path), { recursive: true });
        if (await isThere(path)) return finished(path, null);
        const { bytes } = await reader().read({ url, maxBytes: MOST_MADE_BYTES });
        await writeFile(`${path}.part`, unpacked(url, bytes), { flush: true });
        await rename(`${path}.part`, path);
        return finished(path, null);
      }),
    async head(path) {
      const handle = await open(path, 'r');
      try {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
        return buffer.subarray(0, bytesRead);
      } finally {
        await handle.close();
      }
    },
    readText: (path) => readFile(path, 'utf8'),
    writeText: (path, text) => writeFile(path, text),
    discard: (path) => rm(path, { recursive: true, force: true }),
  };
}

/** An answer that is a gzip file is unpacked. @throws UpstreamUnavailable when it is damaged or too large */
function unpacked(url: string, bytes: Buffer): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes; // RFC 1952 section 2.3.1
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_MADE_BYTES });
  } catch (error) {
    throw new ReadFailed(url, `the packed file cannot be read: ${(error as Error).message}`, null);
  }
}

async function sizeOf(reader: GuardedReader, url: string): Promise<RemoteSize | undefined | null> {
  try {
    const { size, modified } = await reader.readPiece(url, 0, 1);
    return { bytes: size, modified };
  } catch (error) {
    if (error instanceof ReadFailed && error.status === 404) return null;
    if (error instanceof ReadFailed && error.status === 200) return undefined;
    throw error;
  }
}

/** Fetches a file from a server that gives it only whole. It cannot be continued. */
async function inWhole(
  reader: GuardedReader,
  url: string,
  path: string,
  progress: (bytes: number, total: number) => void,
): Promise<Downloaded> {
  await forget(path);
  const { bytes } = await reader.read({ url, maxBytes: MOST_WHOLE_BYTES });
  await writeFile(`${path}.part`, bytes, { flush: true });
  progress(bytes.length, bytes.length);
  await rename(`${path}.part`, path);
  return finished(path, null);
}

/** Continues an unfinished file, or begins it. @throws Changed when the server has another version meanwhile */
async function inPieces(
  reader: GuardedReader,
  url: string,
  path: string,
  progress: (bytes: number, total: number) => void,
): Promise<Downloaded> {
  const part = `${path}.part`;
  const begun = await readBegun(path, url);
  let at = begun === undefined ? 0 : await sizeOn(part);
  if (begun === undefined || at > begun.size) {
    at = 0;
    await rm(part, { force: true });
  }
  let size = begun?.size ?? Infinity;
  let version = begun?.version ?? null;
  let modified: string | null = null;
  const handle = await open(part, 'a');
  try {
    for (let isFirst = at === 0; isFirst || at < size; isFirst = false) {
      const piece = await nextPiece(reader, url, [at, at + PIECE_BYTES], isFirst ? null : version);
      if (isFirst) {
        ({ size, version } = piece);
        if (size > MOST_BYTES)
          throw new InvalidInput(
            `${new URL(url).host}: a file of ${size} bytes; at most ${MOST_BYTES} are fetched`,
          );
        await writeFile(`${path}.json`, JSON.stringify({ url: digestOf(url), size, version }), {
          flush: true,
        });
      } else if (piece.size !== size || piece.version !== version) throw new Changed();
      ({ modified } = piece);
      if (piece.bytes.length === 0 && at < size) throw new Changed();
      await handle.writeFile(piece.bytes);
      at += piece.bytes.length;
      progress(at, size);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (at !== size) {
    await truncate(part, 0);
    throw new Changed();
  }
  await rename(part, path);
  await rm(`${path}.json`, { force: true });
  return finished(path, modified);
}

/** @param version of the pieces before; null for the first piece */
async function nextPiece(
  reader: GuardedReader,
  url: string,
  [from, to]: readonly [number, number],
  version: string | null,
): Promise<ReadPiece> {
  try {
    // A weak ETag fits no piece (RFC 9110, 13.1.5): it is compared afterwards.
    const strong = version === null || version.startsWith('W/') ? undefined : version;
    return await reader.readPiece(url, from, to, strong);
  } catch (error) {
    const isOther = error instanceof ReadFailed && (error.status === 200 || error.status === 416);
    if (isOther && from > 0) throw new Changed();
    throw error;
  }
}

async function readBegun(path: string, url: string): Promise<Begun | undefined> {
  try {
    const begun = JSON.parse(await readFile(`${path}.json`, 'utf8')) as Begun;
    return begun.url === digestOf(url) && Number.isSafeInteger(begun.size) ? begun : undefined;
  } catch {
    return undefined;
  }
}

/** An address may have a secret: only its digest is kept. */
const digestOf = (url: string): string => createHash('sha256').update(url).digest('hex');

async function forget(path: string): Promise<void> {
  await rm(`${path}.part`, { force: true });
  await rm(`${path}.json`, { force: true });
}

const sizeOn = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;
const isThere = async (path: string): Promise<boolean> => (await sizeOn(path)) > 0;

async function finished(path: string, modified: string | null): Promise<Downloaded> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex'), modified };
}

/** Runs a download, and turns failures of the network into errors that name the address without its secret. */
async function told<T>(hide: (text: string) => string, url: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const message = hide((error as Error).message);
    if (error instanceof ReadFailed && (error.status === 401 || error.status === 403))
      throw new AccessRefused(message);
    if (error instanceof ReadFailed)
      throw error.status === 404 ? new NotFound(message) : new UpstreamUnavailable(message);
    if (error instanceof AddressRefused)
      throw new InvalidInput(`${message}; list it in GROUNDWATCH_SOURCE_ALLOW to allow it`);
    if (error instanceof RangeError) throw new InvalidInput(hide(`${url}: ${message}`));
    throw error;
  }
}

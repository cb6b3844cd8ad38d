import { open, readdir, readFile, rename, rm, type FileHandle } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { swapFile, syncFolder } from '../../base/durable-file.ts';
import type { ObjectStore } from '../../net/object-store.ts';
import { DamagedFile } from '../damaged-file.ts';
import { LOG_HEAD_BYTES } from '../log-head.ts';
import { isLeftover, MANIFEST_NAME, readManifest } from '../manifest.ts';
import { STATE_NAME, stateStamp } from '../state-file.ts';
import type { CubeHead, FileInPieces, Piece } from './cube-head.ts';
import { digest, readPart } from './pushed-files.ts';

/** Number of pieces that are read at the same time: at most 32 MiB. */
const READ_AHEAD = 4;

/** A piece that a head names is not there: the head was replaced, or the object was deleted. */
export class PieceMissing extends Error {
  override readonly name = 'PieceMissing';
}

/**
 * Makes a cube's folder have what a head says. Bytes that are there already are not read again from the objects. A
 * file whose other bytes differ is replaced by a new one, so that views of the former one go on. The caller must hold
 * the lock of the folder.
 * @param prefix of the cube's objects
 * @param known head that the folder is known to have, whose pieces need no comparison
 * @param withState whether the saved state is needed. Otherwise it is not read from the objects, and a former one is
 * deleted
 * @throws PieceMissing, DamagedFile
 */
export async function pullFiles(
  objects: ObjectStore,
  prefix: string,
  folder: string,
  head: CubeHead & { readonly manifest: string },
  known: CubeHead | undefined,
  withState: boolean,
): Promise<void> {
  let isReplaced = false;
  for (const [name, file] of Object.entries(head.files))
    if (name !== STATE_NAME || withState)
      if (await pullFile(objects, prefix, join(folder, name), file, known?.files[name])) isReplaced = true;
  const state = head.files[STATE_NAME];
  if (state === undefined || !(withState || isSameFile(state, known?.files[STATE_NAME])))
    await rm(join(folder, STATE_NAME), { force: true });
  const path = join(folder, MANIFEST_NAME);
  const before = await readFile(path, 'utf8').catch(() => undefined);
  if (isReplaced || before !== head.manifest) await swapFile(path, head.manifest);
  const manifest = readManifest(folder);
  for (const name of await readdir(folder))
    if (isLeftover(name, manifest)) await rm(join(folder, name), { force: true });
  await syncFolder(folder);
}

/**
 * Makes a cube's folder have the saved state that a head names, if any. The rest of the folder must be what the head says,
 * and the caller must hold the lock of the folder.
 * @throws PieceMissing, DamagedFile
 */
export async function pullState(
  objects: ObjectStore,
  prefix: string,
  folder: string,
  head: CubeHead,
): Promise<void> {
  const state = head.files[STATE_NAME];
  if (state === undefined || stateStamp(folder) !== undefined) return;
  await pullFile(objects, prefix, join(folder, STATE_NAME), state, undefined);
  await syncFolder(folder);
}

function isSameFile(file: FileInPieces, other: FileInPieces | undefined): boolean {
  return JSON.stringify(file) === JSON.stringify(other);
}

/** @returns whether the file was replaced by another */
async function pullFile(
  objects: ObjectStore,
  prefix: string,
  path: string,
  file: FileInPieces,
  known: FileInPieces | undefined,
): Promise<boolean> {
  const former = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  try {
    const there = former === undefined ? 0 : await piecesThere(former, file, known);
    const isLog = file.start !== undefined;
    if (former !== undefined && (isLog || there === file.pieces.length)) {
      // A log grows in place: views of it read its head again. Where it has more than it should, as after an append that
      // another node was before, a view may have read that, so the log becomes another file.
      const end = endOf(file, there);
      const { size } = await former.stat();
      if (size <= Math.max(end, isLog ? LOG_HEAD_BYTES : 0)) {
        await fill(former, file, there, inOrder(objects, prefix, file.pieces.slice(there)));
        return false;
      }
      const next = file.pieces[there];
      if (next !== undefined && size < end + next.size) {
        // Another node has written the end of the log again, together with what it added.
        const bytes = await readPiece(objects, prefix, next);
        if (bytes.subarray(0, size - end).equals(await readPart(former, end, size - end))) {
          await fill(former, file, there, inOrder(objects, prefix, file.pieces.slice(there), bytes));
          return false;
        }
      }
    }
    const draft = `${path}.${randomUUID()}.tmp`;
    try {
      const made = await open(draft, 'wx+');
      try {
        let at = file.from;
        for (const { size } of file.pieces.slice(0, there)) {
          await made.write(await readPart(former!, at, size), 0, size, at);
          at += size;
        }
        await fill(made, file, there, inOrder(objects, prefix, file.pieces.slice(there)));
      } finally {
        await made.close();
      }
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    return former !== undefined;
  } finally {
    await former?.close();
  }
}

/** Position after the first pieces of a file [bytes]. */
function endOf({ from, pieces }: FileInPieces, count: number): number {
  return pieces.slice(0, count).reduce((end, { size }) => end + size, from);
}

/** Number of the first pieces whose bytes the file has. */
async function piecesThere(
  handle: FileHandle,
  file: FileInPieces,
  known: FileInPieces | undefined,
): Promise<number> {
  const { size } = await handle.stat();
  let at = file.from;
  for (const [i, piece] of file.pieces.entries()) {
    if (at + piece.size > size) return i;
    const isKnown = known?.pieces[i]?.object === piece.object;
    if (!isKnown && digest(await readPart(handle, at, piece.size)) !== piece.sha256) return i;
    at += piece.size;
  }
  return file.pieces.length;
}

/** Writes the pieces from number `first` on, cuts off what follows, and last writes the start. */
async function fill(
  handle: FileHandle,
  file: FileInPieces,
  first: number,
  pieces: AsyncIterable<Buffer>,
): Promise<void> {
  let at = endOf(file, first);
  for await (const bytes of pieces) {
    await handle.write(bytes, 0, bytes.byteLength, at);
    at += bytes.byteLength;
  }
  if ((await handle.stat()).size !== at) await handle.truncate(at);
  await handle.sync();
  if (file.start === undefined) return;
  await handle.write(Buffer.from(file.start, 'base64'), 0, undefined, 0);
  await handle.sync();
}

/**
 * Reads pieces, some at a time, since an object store takes long to answer.
 * @param first bytes of the first piece, if they are known
 * @throws PieceMissing, DamagedFile
 */
async function* inOrder(
  objects: ObjectStore,
  prefix: string,
  pieces: readonly Piece[],
  first?: Buffer,
): AsyncGenerator<Buffer> {
  const asked: Promise<Buffer>[] = first === undefined ? [] : [Promise.resolve(first)];
  const waiting = pieces.slice(asked.length);
  do {
    for (const piece of waiting.splice(0, READ_AHEAD - asked.length)) {
      const reading = readPiece(objects, prefix, piece);
      reading.catch(() => undefined); // thrown when it is its turn
      asked.push(reading);
    }
    const next = asked.shift();
    if (next !== undefined) yield await next;
  } while (asked.length > 0 || waiting.length > 0);
}

/** Reads a piece. @throws PieceMissing; DamagedFile when its bytes are others than were written */
export async function readPiece(objects: ObjectStore, prefix: string, piece: Piece): Promise<Buffer> {
  const name = prefix + piece.object;
  const found = await objects.get(name);
  if (found === undefined || found === 'same') throw new PieceMissing(`${name} is missing`);
  if (digest(found.bytes) !== piece.sha256) throw new DamagedFile(name, 'it fails its checksum');
  return found.bytes;
}

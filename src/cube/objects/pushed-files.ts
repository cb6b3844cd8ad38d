import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectStore } from '../../net/object-store.ts';
import { ObjectStoreFailed } from '../../net/object-store.ts';
import { LOG_HEAD_BYTES, readLogHead } from '../log-head.ts';
import { MANIFEST_NAME, readManifest } from '../manifest.ts';
import { SharedFile } from '../shared-file.ts';
import { STATE_NAME } from '../state-file.ts';
import type { CubeHead, FileInPieces, Piece } from './cube-head.ts';

/** Maximum size of a piece [bytes]: 8 MiB. Larger files have several, so no object needs more than one request. */
const PIECE_BYTES = 8 * 1024 * 1024;
/** Number of pieces at the end of a log that are written again together with the next one. */
const JOINED_PIECES = 7;
/** Bytes of the head of a log that are not always zero. */
const LOG_START_BYTES = 36;

/** The files of a cube's folder, as a head names them. */
type Files = Pick<CubeHead, 'manifest' | 'files'>;

/**
 * Writes what is new in a cube's folder to objects. The caller must hold the lock of the folder.
 * @param prefix of the cube's objects
 * @param base head whose pieces are used again
 * @param isBaseState whether the saved state is the one of `base`, even if the folder does not have it
 */
export async function pushFiles(
  objects: ObjectStore,
  prefix: string,
  folder: string,
  base: CubeHead | undefined,
  isBaseState = false,
): Promise<Files> {
  const manifest = readManifest(folder);
  const files: Record<string, FileInPieces> = {};
  // Only logs grow; all other files of the same cube are the same while they have the same name.
  const isSame = base?.manifest != null && JSON.parse(base.manifest).id === manifest.id;
  for (const name of manifest.segments)
    files[name] = (isSame && base.files[name]) || (await push(name, 0, undefined));
  for (const name of [...manifest.sealed, manifest.log]) {
    const file = new SharedFile(join(folder, name));
    try {
      const { end } = readLogHead(file, manifest.spec);
      const start = new Uint8Array(LOG_START_BYTES);
      file.read(start, 0);
      files[name] = {
        start: Buffer.from(start).toString('base64'),
        ...(await push(name, LOG_HEAD_BYTES, end)),
      };
    } finally {
      file.release();
    }
  }
  const state = isBaseState ? base?.files[STATE_NAME] : undefined;
  if (state !== undefined) files[STATE_NAME] = state;
  else if (existsSync(join(folder, STATE_NAME))) files[STATE_NAME] = await push(STATE_NAME, 0, undefined);
  return {
    manifest: await readFile(join(folder, MANIFEST_NAME), 'utf8'),
    files,
  };

  async function push(name: string, from: number, end: number | undefined): Promise<FileInPieces> {
    const handle = await open(join(folder, name));
    try {
      const stop = end ?? (await handle.stat()).size;
      const pieces: Piece[] = [];
      let at = from;
      for (const known of base?.files[name]?.pieces ?? []) {
        if (at + known.size > stop) break;
        const grown = isSame && end !== undefined;
        if (!grown && digest(await readPart(handle, at, known.size)) !== known.sha256) break;
        pieces.push(known);
        at += known.size;
      }
      if (at < stop && end !== undefined) {
        const whole = wholePieces(pieces, stop - at);
        at -= pieces.splice(whole).reduce((sum, { size }) => sum + size, 0);
      }
      while (at < stop) {
        const bytes = await readPart(handle, at, Math.min(PIECE_BYTES, stop - at));
        pieces.push(await pushPiece(objects, prefix, bytes));
        at += bytes.byteLength;
      }
      return { from, pieces };
    } finally {
      await handle.close();
    }
  }
}

/**
 * Number of the first pieces of a log that stay as they are when bytes are added to it. The others are written again in
 * one piece with the new bytes, so that a log of many scenes has few pieces, and a node that lacks it needs few calls.
 * Each byte is written again about once for every factor of eight by which the log grows.
 * @param added number of new bytes
 */
export function wholePieces(pieces: readonly Pick<Piece, 'size'>[], added: number): number {
  let [whole, joined] = [pieces.length, added];
  for (;;) {
    let [first, bytes] = [whole, joined];
    while (first > 0 && pieces[first - 1]!.size <= 2 * joined) bytes += pieces[--first]!.size;
    if (whole - first < JOINED_PIECES || bytes > PIECE_BYTES) return whole;
    [whole, joined] = [first, bytes];
  }
}

async function pushPiece(objects: ObjectStore, prefix: string, bytes: Buffer): Promise<Piece> {
  const sha256 = digest(bytes);
  // The random part: an object that nothing names may be deleted at any time, so it must not be named again.
  const object = `pieces/${sha256}-${randomUUID()}`;
  const etag = await objects.put(prefix + object, bytes, 'absent');
  if (etag === undefined) throw new ObjectStoreFailed(`${prefix}${object} is there already`);
  return { object, size: bytes.byteLength, sha256 };
}

/** Reads a part of a file. @throws Error when the file ends too early */
export async function readPart(handle: FileHandle, at: number, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  let done = 0;
  while (done < size) {
    const { bytesRead } = await handle.read(bytes, done, size - done, at + done);
    if (bytesRead === 0) throw new Error(`a file of the cube ends at byte ${at + done}`);
    done += bytesRead;
  }
  return bytes;
}

/** SHA-256 of bytes, in hexadecimal digits. */
export function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

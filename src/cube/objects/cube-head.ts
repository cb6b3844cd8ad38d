import { randomUUID } from 'node:crypto';
import { UpstreamUnavailable } from '../../base/errors.ts';
import { DamagedFile } from '../damaged-file.ts';

/** Version of the layout of objects that this release reads and writes. */
const LAYOUT_VERSION = 1;

/** An immutable object that has a part of a file. */
export interface Piece {
  /** Name of the object, below the cube's prefix. It is never used twice. */
  readonly object: string;
  readonly size: number;
  readonly sha256: string;
}

/** A file of a cube. */
export interface FileInPieces {
  /** First bytes of a log, in base64: they change with each scene, so they are no piece. Zeros follow up to the pieces. */
  readonly start?: string;
  /** Position of the first piece in the file [bytes]. */
  readonly from: number;
  readonly pieces: readonly Piece[];
}

/** What a cube consists of. The object with it is replaced as a whole, by the first of several writers. */
export interface CubeHead {
  /** Random. Two heads are never the same bytes, so a writer knows its own. */
  readonly id: string;
  /** Text of the manifest; null after the cube was removed. */
  readonly manifest: string | null;
  /** Text of the manifest of a cube that was moved to a folder. Its `manifest` is null then, and its files stay. */
  readonly moved?: string;
  /** Files by name: those of the manifest, and the saved state. */
  readonly files: Readonly<Record<string, FileInPieces>>;
}

/** A head, and the ETag under which it is stored. */
export interface StoredHead extends CubeHead {
  readonly etag: string;
}

/** A cube is in a folder now. */
export class CubeMoved extends UpstreamUnavailable {}

/** @param name name of the object, for the message. @throws CubeMoved when the cube is in a folder now */
export function refuseMovedHead(name: string, head: CubeHead | undefined): void {
  if (head?.moved !== undefined)
    throw new CubeMoved(
      `${name}: the cube was moved to a data folder: start this process as the one that moved it, with ` +
        'GROUNDWATCH_OBJECTS_FROM or without a bucket',
    );
}

export function newHead(parts: Omit<CubeHead, 'id'>): CubeHead {
  return { id: randomUUID(), ...parts };
}

export function encodeHead(head: CubeHead): Buffer {
  return Buffer.from(JSON.stringify({ version: LAYOUT_VERSION, ...head }));
}

/** @param name name of the object, for messages. @throws DamagedFile */
export function decodeHead(name: string, bytes: Buffer): CubeHead {
  try {
    const { version, ...head } = JSON.parse(bytes.toString('utf8')) as CubeHead & {
      readonly version: number;
    };
    if (version !== LAYOUT_VERSION)
      throw new RangeError(`layout version ${version}, where this software knows ${LAYOUT_VERSION}`);
    if (typeof head.files !== 'object') throw new RangeError('it names no files');
    return head;
  } catch (error) {
    throw new DamagedFile(name, error instanceof Error ? error.message : 'it cannot be read', error);
  }
}

/** The names of all pieces of a head. */
export function piecesOf(head: CubeHead): ReadonlySet<string> {
  return new Set(Object.values(head.files).flatMap(({ pieces }) => pieces.map(({ object }) => object)));
}

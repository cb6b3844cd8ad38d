import type { ObjectStore } from '../../net/object-store.ts';
import { MANIFEST_NAME } from '../manifest.ts';
import type { CubeHead, FileInPieces } from './cube-head.ts';
import { readPiece } from './pulled-files.ts';

/** A file of a cube, as its folder would have it. */
export interface HeadFile {
  readonly name: string;
  /** Length of the content [bytes]. */
  readonly size: number;
  readonly content: AsyncIterable<Buffer>;
}

/** Returns the files that the folder of a cube with this head has. @param prefix of the cube's objects */
export function filesOfHead(
  objects: ObjectStore,
  prefix: string,
  { manifest, files }: CubeHead & { readonly manifest: string },
): readonly HeadFile[] {
  const text = Buffer.from(manifest);
  return [
    { name: MANIFEST_NAME, size: text.length, content: each([text]) },
    ...Object.entries(files).map(([name, file]) => ({
      name,
      size: file.pieces.reduce((sum, piece) => sum + piece.size, file.from),
      content: bytesOf(objects, prefix, file),
    })),
  ];
}

async function* bytesOf(objects: ObjectStore, prefix: string, file: FileInPieces): AsyncGenerator<Buffer> {
  const start = Buffer.alloc(file.from);
  Buffer.from(file.start ?? '', 'base64').copy(start);
  if (start.length > 0) yield start;
  for (const piece of file.pieces) yield await readPiece(objects, prefix, piece);
}

async function* each(parts: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* parts;
}

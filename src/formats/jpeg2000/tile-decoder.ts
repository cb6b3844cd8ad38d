import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { OpenJpeg } from '@cornerstonejs/codec-openjpeg/decodewasmjs';
import { InvalidInput } from '../../base/errors.ts';
import type { Codestream } from './codestream.ts';

/** Memory that the module may keep for the next tile [bytes]. */
const KEPT_BYTES = 2 ** 28;

/** What the module says of a tile that it decodes in part. */
const FAILURE = /error|fail|truncat|inconsistent|corrupt|invalid/i;

let kept: Promise<OpenJpeg> | undefined;
let said = '';

/** Loads OpenJPEG at the first tile: 260 kB, 30 ms. */
async function load(): Promise<OpenJpeg> {
  const path = createRequire(import.meta.url).resolve('@cornerstonejs/codec-openjpeg/decodewasm');
  const [{ default: make }, wasmBinary] = await Promise.all([
    import('@cornerstonejs/codec-openjpeg/decodewasmjs'),
    readFile(path),
  ]);
  return make({
    wasmBinary,
    print: () => undefined,
    printErr: (text) => {
      if (FAILURE.test(text)) said = text;
    },
  });
}

/** Samples of a tile, interleaved by band. */
export type TileSamples = Uint8Array | Int8Array | Uint16Array | Int16Array;

/**
 * Decodes a tile.
 * @returns its samples, row-major
 * @throws InvalidInput when the tile is damaged
 */
export async function decodeTile(stream: Codestream, tile: number): Promise<TileSamples> {
  const bytes = await stream.readTile(tile);
  const module = await (kept ??= load());
  said = '';
  const { x0, x1, y0, y1 } = stream.tileArea(tile);
  const decoder = new module.J2KDecoder();
  try {
    decoder.getEncodedBuffer(bytes.length).set(bytes);
    decoder.decode();
    const { width, height, bitsPerSample, componentCount, isSigned } = decoder.getFrameInfo();
    const isExpected =
      width === x1 - x0 &&
      height === y1 - y0 &&
      componentCount === stream.componentCount &&
      bitsPerSample === stream.bits &&
      isSigned === stream.isSigned;
    const decoded = decoder.getDecodedBuffer();
    const samples = width * height * componentCount;
    if (FAILURE.test(said) || !isExpected || decoded.length !== samples * (bitsPerSample > 8 ? 2 : 1))
      throw new RangeError(said.trim());
    const copy = decoded.slice().buffer; // the memory is the module's
    if (bitsPerSample > 8) return isSigned ? new Int16Array(copy) : new Uint16Array(copy);
    return isSigned ? new Int8Array(copy) : new Uint8Array(copy);
  } catch (error) {
    kept = undefined; // what it holds of the damaged tile goes with it
    const why = said.trim() || (error instanceof Error ? error.message : '');
    throw new InvalidInput(
      `${stream.name} is damaged: tile ${tile + 1} of ${stream.tilesAcross * stream.tilesDown} cannot be decoded${why === '' ? '' : `: ${why}`}`,
      { cause: error },
    );
  } finally {
    if (kept !== undefined) decoder.delete();
    if (module.HEAPU8.length > KEPT_BYTES) kept = undefined;
  }
}

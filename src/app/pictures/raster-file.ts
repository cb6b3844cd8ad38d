import { type CogBand, type CogBlock, cogFile } from '../../formats/cog-file.ts';
import { InvalidInput } from '../../base/errors.ts';

/** A GeoTIFF that is made while it is read. Any part of it can be made by itself. */
export interface RasterFile {
  readonly byteLength: number;
  /** Names the content: equal as long as the bytes are; undefined where that is not known. */
  readonly tag: string | undefined;
  /** Makes the bytes `[from, to)`, piece by piece. @throws NotFound when the samples are gone; NoPlace */
  read(from: number, to: number): AsyncGenerator<Uint8Array>;
}

/** Makes the samples of one block: `side` rows of `side` samples, little-endian. */
export type MakeBlock = (block: CogBlock) => Promise<Uint8Array>;

/** The file of a band whose blocks are made on demand. @throws InvalidInput for a grid without an EPSG code */
export function rasterFile(band: CogBand, tag: string | undefined, makeBlock: MakeBlock): RasterFile {
  const { head, blockBytes, byteLength, blockAt } = cogFile(band);
  return {
    byteLength,
    tag,
    async *read(from, to) {
      if (from < head.length) yield head.subarray(from, Math.min(to, head.length));
      for (let at = Math.max(from, head.length); at < to;) {
        const index = Math.floor((at - head.length) / blockBytes);
        const start = head.length + index * blockBytes;
        const block = await makeBlock(blockAt(index));
        yield block.subarray(at - start, Math.min(to - start, blockBytes));
        at = start + blockBytes;
      }
    },
  };
}

/** Whether a grid can be written as a GeoTIFF: its reference system has an EPSG code. */
export function hasRaster(grid: CogBand['grid']): boolean {
  return /^EPSG:\d{1,5}$/.test(grid.crs);
}

/** The part of a file that a call wants: bytes `[from, to)`. */
export interface ByteSpan {
  readonly from: number;
  readonly to: number;
}

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/i;

/**
 * Reads the header `Range`. Undefined: the whole file, as for several ranges and units other than bytes, which a server may
 * ignore.
 * @throws InvalidInput for a range that the file does not have
 * @see RFC 9110 section 14.2
 */
export function readByteRange(text: string | undefined, byteLength: number): ByteSpan | undefined {
  const [, first, last] = RANGE.exec(text?.replaceAll(' ', '') ?? '') ?? [];
  if (first === undefined || last === undefined || first + last === '') return undefined;
  const from = first === '' ? Math.max(0, byteLength - Number(last)) : Number(first);
  const to = first === '' || last === '' ? byteLength : Math.min(byteLength, Number(last) + 1);
  if (from >= to)
    throw new InvalidInput(`Range: expected bytes of the ${byteLength} that there are, got ${text}`, {
      param: 'Range',
    });
  return { from, to };
}

import { InvalidInput } from '../../base/errors.ts';
import type { RandomAccess } from '../random-access.ts';

/** Tags that this service reads, by the names of TIFF 6.0, GeoTIFF 1.1 (OGC 19-008) and GDAL. */
export const TIFF_TAGS = {
  NewSubfileType: 254,
  ImageWidth: 256,
  ImageLength: 257,
  BitsPerSample: 258,
  Compression: 259,
  PhotometricInterpretation: 262,
  StripOffsets: 273,
  SamplesPerPixel: 277,
  RowsPerStrip: 278,
  StripByteCounts: 279,
  PlanarConfiguration: 284,
  Predictor: 317,
  TileWidth: 322,
  TileLength: 323,
  TileOffsets: 324,
  TileByteCounts: 325,
  ExtraSamples: 338,
  SampleFormat: 339,
  ModelPixelScale: 33550,
  ModelTiepoint: 33922,
  ModelTransformation: 34264,
  GeoKeyDirectory: 34735,
  GeoDoubleParams: 34736,
  GeoAsciiParams: 34737,
  GdalMetadata: 42112,
  GdalNodata: 42113,
  LercParameters: 50674,
} as const;

export type TiffTag = keyof typeof TIFF_TAGS;

/** Number of bytes of one value, by field type (TIFF 6.0 section 2; BigTIFF adds 16 to 18). */
const TYPE_BYTES: Readonly<Record<number, number>> = {
  1: 1,
  2: 1,
  3: 2,
  4: 4,
  5: 8,
  6: 1,
  7: 1,
  8: 2,
  9: 4,
  10: 8,
  11: 4,
  12: 8,
  13: 4,
  16: 8,
  17: 8,
  18: 8,
};
/** Maximum number of pages of a file. More means that the pages form a loop, or that the file is not an image. */
const MAX_PAGES = 1000;
/** Maximum number of fields of one page. The format allows more, but no writer makes more. */
const MAX_FIELDS = 4096;

/** Number of bytes of directories and fields that pages may share, in addition to the size of the file. */
const SHARED_BYTES = 1 << 20;

/** The fields of one page of a TIFF. */
export interface TiffDirectory {
  /** Values of a field; null when it is missing. Callers must not change them. */
  readonly numbers: (tag: TiffTag) => Float64Array | null;
  readonly text: (tag: TiffTag) => string | null;
}

/** The structure of a TIFF. All of its parts are known to be inside the file. */
export interface TiffFile {
  readonly littleEndian: boolean;
  readonly sizeBytes: number;
  /** Pages in file order: the image, then overviews and masks. */
  readonly pages: readonly TiffDirectory[];
}

interface Field {
  readonly type: number;
  readonly bytes: Buffer;
}

function decodeNumbers({ type, bytes }: Field, littleEndian: boolean): Float64Array {
  const size = TYPE_BYTES[type]!;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = (at: number): number => {
    switch (type) {
      case 3:
        return view.getUint16(at, littleEndian);
      case 4:
      case 13:
        return view.getUint32(at, littleEndian);
      case 5:
        return view.getUint32(at, littleEndian) / view.getUint32(at + 4, littleEndian);
      case 6:
        return view.getInt8(at);
      case 8:
        return view.getInt16(at, littleEndian);
      case 9:
        return view.getInt32(at, littleEndian);
      case 10:
        return view.getInt32(at, littleEndian) / view.getInt32(at + 4, littleEndian);
      case 11:
        return view.getFloat32(at, littleEndian);
      case 12:
        return view.getFloat64(at, littleEndian);
      case 16:
      case 18:
        return Number(view.getBigUint64(at, littleEndian));
      case 17:
        return Number(view.getBigInt64(at, littleEndian));
      default:
        return view.getUint8(at);
    }
  };
  return Float64Array.from({ length: bytes.byteLength / size }, (_, i) => read(i * size));
}

/** Reads pieces of one file. Errors name the file when a piece is missing. */
class Pieces {
  readonly #file: RandomAccess;
  readonly #name: string;
  readonly size: number;
  #taken = 0;

  constructor(file: RandomAccess, name: string, size: number) {
    this.#file = file;
    this.#name = name;
    this.size = size;
  }

  async read(at: number, length: number, what: string): Promise<Buffer> {
    this.#taken += length;
    // Fields of several pages may share bytes, but no writer shares most of them.
    if (this.#taken > 2 * this.size + SHARED_BYTES)
      throw new InvalidInput(
        `${this.#name} is damaged: its pages refer to more than ${this.#taken} bytes of fields, the file has ${this.size}`,
      );
    if (!(Number.isSafeInteger(at) && at >= 0 && at + length <= this.size)) {
      throw new InvalidInput(
        `${this.#name} is truncated: ${what} should stand at bytes ${at} to ${at + length}, the file has ${this.size}`,
      );
    }
    const bytes = Buffer.allocUnsafe(length);
    const { bytesRead } = await this.#file.read(bytes, 0, length, at);
    if (bytesRead < length) throw new InvalidInput(`${this.#name} became shorter while it was read`);
    return bytes;
  }
}

/**
 * Reads the structure of a TIFF or BigTIFF, of either byte order.
 *
 * This is our own code, because geotiff.js 3.0.5 reads long offset lists of big-endian files as little-endian, and
 * does not detect a truncated file before it reads the pixels.
 * @param name name of the file, for messages
 * @throws InvalidInput when the file is not a TIFF, or ends before a part that it refers to
 * @see TIFF revision 6.0 (Adobe 1992), section 2
 */
export async function readTiffFile(file: RandomAccess, name: string): Promise<TiffFile> {
  const { size } = await file.stat();
  const pieces = new Pieces(file, name, size);
  const noTiff = (): InvalidInput =>
    new InvalidInput(`${name} is not a TIFF file: expected it to begin with 'II' or 'MM' and 42 or 43`);
  if (size < 8) throw noTiff();
  const head = await pieces.read(0, Math.min(16, size), 'the header');
  const order = head.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') throw noTiff();
  const littleEndian = order === 'II';
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const magic = view.getUint16(2, littleEndian);
  if (magic !== 42 && (magic !== 43 || size < 16)) throw noTiff();
  const big = magic === 43;
  const pages: TiffDirectory[] = [];
  const places = new Set<number>();
  let at = big ? Number(view.getBigUint64(8, littleEndian)) : view.getUint32(4, littleEndian);
  while (at !== 0) {
    if (pages.length === MAX_PAGES) throw new InvalidInput(`${name} has more than ${MAX_PAGES} pages`);
    if (places.has(at))
      throw new InvalidInput(
        `${name} is damaged: page ${pages.length + 1} stands at byte ${at}, as an earlier page does; expected a list of pages that ends`,
      );
    places.add(at);
    const page = await readPage(pieces, name, at, big, littleEndian);
    pages.push(page.directory);
    at = page.next;
  }
  if (pages.length === 0) throw new InvalidInput(`${name} is a TIFF file without an image`);
  return { littleEndian, sizeBytes: size, pages };
}

async function readPage(
  pieces: Pieces,
  name: string,
  at: number,
  big: boolean,
  littleEndian: boolean,
): Promise<{ readonly directory: TiffDirectory; readonly next: number }> {
  const countBytes = big ? 8 : 2;
  const entryBytes = big ? 20 : 12;
  const inlineBytes = big ? 8 : 4;
  const countPiece = await pieces.read(at, countBytes, 'a page directory');
  const count = big
    ? Number(littleEndian ? countPiece.readBigUInt64LE() : countPiece.readBigUInt64BE())
    : littleEndian
      ? countPiece.readUInt16LE()
      : countPiece.readUInt16BE();
  if (count > MAX_FIELDS)
    throw new InvalidInput(`${name} has a page directory of ${count} fields; it is damaged`);
  const body = await pieces.read(at + countBytes, count * entryBytes + inlineBytes, 'a page directory');
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const offsetAt = (position: number): number =>
    big ? Number(view.getBigUint64(position, littleEndian)) : view.getUint32(position, littleEndian);
  const wanted = new Map<number, TiffTag>(
    Object.entries(TIFF_TAGS).map(([tagName, tag]) => [tag, tagName as TiffTag]),
  );
  const fields = new Map<TiffTag, Field>();
  for (let i = 0; i < count; i++) {
    const entry = i * entryBytes;
    const tag = wanted.get(view.getUint16(entry, littleEndian));
    const type = view.getUint16(entry + 2, littleEndian);
    const size = TYPE_BYTES[type];
    if (tag === undefined || size === undefined) continue;
    const length = offsetAt(entry + 4) * size;
    const valueAt = entry + (big ? 12 : 8);
    const bytes =
      length <= inlineBytes
        ? Buffer.from(body.subarray(valueAt, valueAt + length))
        : await pieces.read(offsetAt(valueAt), length, `the field ${tag}`);
    fields.set(tag, { type, bytes });
  }
  const decoded = new Map<TiffTag, Float64Array>();
  const numbers = (tag: TiffTag): Float64Array | null => {
    const field = fields.get(tag);
    if (field === undefined) return null;
    let values = decoded.get(tag);
    if (values === undefined) decoded.set(tag, (values = decodeNumbers(field, littleEndian)));
    return values;
  };
  const text = (tag: TiffTag): string | null => {
    const field = fields.get(tag);
    return field === undefined ? null : field.bytes.toString('utf8').replace(/\0[\s\S]*$/, '');
  };
  return { directory: { numbers, text }, next: offsetAt(count * entryBytes) };
}

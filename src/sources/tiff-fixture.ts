import { deflateSync } from 'node:zlib';

/** What a test's TIFF holds; everything but shape and bands has a plain default. */
export interface TiffFixture {
  readonly width: number;
  readonly height: number;
  /** Samples of each band, row-major. */
  readonly bands: readonly (readonly number[])[];
  readonly kind?: 'uint8' | 'int16' | 'uint16' | 'int32' | 'float32' | 'float64';
  readonly bigEndian?: boolean;
  readonly big?: boolean;
  readonly interleaved?: boolean;
  readonly deflate?: boolean;
  /** Horizontal differencing; for 8 and 16 bit samples. */
  readonly differenced?: boolean;
  /** Edge of square tiles; strips of `rowsPerStrip` otherwise. */
  readonly tile?: number;
  readonly rowsPerStrip?: number;
  /** Origin and pixel size [CRS units], as ModelTiepoint and ModelPixelScale write them. */
  readonly origin?: readonly [x: number, y: number];
  readonly pixel?: readonly [dx: number, dy: number];
  /** ModelTransformation instead. */
  readonly matrix?: readonly number[];
  /** Ground control points instead, six numbers each. */
  readonly tiePoints?: readonly number[];
  /** GeoKeys with their short values; null leaves the directory out. */
  readonly keys?: Readonly<Record<number, number>> | null;
  readonly nodata?: string;
  readonly metadata?: string;
  /** Fields to add or to replace: tag -> type and values. */
  readonly fields?: Readonly<Record<number, readonly [type: number, values: readonly number[]]>>;
}

/** GTModelType geographic, GTRasterType area, GeographicType 4326 (OGC 19-008). */
export const WGS84_KEYS = { 1024: 2, 1025: 1, 2048: 4326 } as const;

const KINDS = {
  uint8: { bytes: 1, format: 1 },
  int16: { bytes: 2, format: 2 },
  uint16: { bytes: 2, format: 1 },
  int32: { bytes: 4, format: 2 },
  float32: { bytes: 4, format: 3 },
  float64: { bytes: 8, format: 3 },
} as const;
/** Bytes of the field types that the fixture writes. */
const FIELD_BYTES: Readonly<Record<number, number>> = { 2: 1, 3: 2, 4: 4, 12: 8, 16: 8 };

/** A small writer of TIFFs for tests: TIFF 6.0 and BigTIFF, both byte orders, tiles and strips, raw and DEFLATE. */
export function tiffFixture(fixture: TiffFixture): Buffer {
  const { width, height, bands, kind = 'int16', big = false, interleaved = false } = fixture;
  const little = !(fixture.bigEndian ?? false);
  const { bytes: sampleBytes, format } = KINDS[kind];
  const put = (view: DataView, at: number, type: string, value: number): void => {
    if (type === 'uint8') view.setUint8(at, value);
    else if (type === 'int16') view.setInt16(at, value, little);
    else if (type === 'uint16') view.setUint16(at, value, little);
    else if (type === 'int32') view.setInt32(at, value, little);
    else if (type === 'uint32') view.setUint32(at, value, little);
    else if (type === 'float32') view.setFloat32(at, value, little);
    else if (type === 'uint64') view.setBigUint64(at, BigInt(value), little);
    else view.setFloat64(at, value, little);
  };

  const blockWidth = fixture.tile ?? width;
  const blockHeight = fixture.tile ?? fixture.rowsPerStrip ?? height;
  const groups = interleaved ? [bands] : bands.map((band) => [band]);
  const blocks: Buffer[] = [];
  for (const group of groups) {
    for (let top = 0; top < height; top += blockHeight) {
      for (let left = 0; left < width; left += blockWidth) {
        const rows = fixture.tile === undefined ? Math.min(blockHeight, height - top) : blockHeight;
        const block = Buffer.alloc(rows * blockWidth * group.length * sampleBytes);
        const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
        const at = (row: number, col: number, b: number): number =>
          row < height && col < width ? group[b]![row * width + col]! : 0;
        let position = 0;
        for (let row = top; row < top + rows; row++) {
          for (let col = left; col < left + blockWidth; col++) {
            for (let b = 0; b < group.length; b++) {
              const before = fixture.differenced === true && col > left ? at(row, col - 1, b) : 0;
              put(view, position, kind, at(row, col, b) - before);
              position += sampleBytes;
            }
          }
        }
        blocks.push(fixture.deflate === true ? deflateSync(block) : block);
      }
    }
  }

  const head = Buffer.alloc(big ? 16 : 8);
  const headView = new DataView(head.buffer, head.byteOffset, head.byteLength);
  head.write(little ? 'II' : 'MM', 'latin1');
  put(headView, 2, 'uint16', big ? 43 : 42);
  if (big) put(headView, 4, 'uint16', 8);
  const offsets: number[] = [];
  let end = head.length;
  for (const block of blocks) {
    offsets.push(end);
    end += block.length;
  }

  const text = (value: string): readonly [number, readonly number[]] => [2, [...Buffer.from(`${value}\0`)]];
  const fields = new Map<number, readonly [type: number, values: readonly number[]]>([
    [256, [4, [width]]],
    [257, [4, [height]]],
    [258, [3, bands.map(() => sampleBytes * 8)]],
    [259, [3, [fixture.deflate === true ? 8 : 1]]],
    [262, [3, [1]]],
    [277, [3, [bands.length]]],
    [284, [3, [interleaved ? 1 : 2]]],
    [317, [3, [fixture.differenced === true ? 2 : 1]]],
    [339, [3, bands.map(() => format)]],
  ]);
  if (fixture.tile === undefined) fields.set(278, [4, [blockHeight]]);
  else fields.set(322, [4, [fixture.tile]]).set(323, [4, [fixture.tile]]);
  fields.set(fixture.tile === undefined ? 273 : 324, [big ? 16 : 4, offsets]);
  fields.set(fixture.tile === undefined ? 279 : 325, [big ? 16 : 4, blocks.map((block) => block.length)]);
  if (fixture.tiePoints !== undefined) fields.set(33922, [12, fixture.tiePoints]);
  else if (fixture.matrix !== undefined) fields.set(34264, [12, fixture.matrix]);
  else {
    const [dx, dy] = fixture.pixel ?? [1, 1];
    fields.set(33550, [12, [dx, dy, 0]]);
    fields.set(33922, [12, [0, 0, 0, ...(fixture.origin ?? [0, 0]), 0]]);
  }
  if (fixture.keys !== null) {
    const entries = Object.entries(fixture.keys ?? WGS84_KEYS).flatMap(([key, value]) => [
      Number(key),
      0,
      1,
      value,
    ]);
    fields.set(34735, [3, [1, 1, 0, entries.length / 4, ...entries]]);
  }
  if (fixture.nodata !== undefined) fields.set(42113, text(fixture.nodata));
  if (fixture.metadata !== undefined) fields.set(42112, text(fixture.metadata));
  for (const [tag, field] of Object.entries(fixture.fields ?? {})) fields.set(Number(tag), field);

  const sorted = [...fields].sort(([a], [b]) => a - b);
  const entryBytes = big ? 20 : 12;
  const inline = big ? 8 : 4;
  const offsetType = big ? 'uint64' : 'uint32';
  const directory = Buffer.alloc((big ? 8 : 2) + sorted.length * entryBytes + inline);
  const view = new DataView(directory.buffer, directory.byteOffset, directory.byteLength);
  put(view, 0, big ? 'uint64' : 'uint16', sorted.length);
  let valuesAt = end + directory.length;
  const long: Buffer[] = [];
  for (const [i, [tag, [type, values]]] of sorted.entries()) {
    const at = (big ? 8 : 2) + i * entryBytes;
    const size = FIELD_BYTES[type]!;
    const names: Readonly<Record<number, string>> = {
      2: 'uint8',
      3: 'uint16',
      4: 'uint32',
      12: 'float64',
      16: 'uint64',
    };
    const content = Buffer.alloc(Math.max(inline, values.length * size));
    const contentView = new DataView(content.buffer, content.byteOffset, content.byteLength);
    for (const [k, value] of values.entries()) put(contentView, k * size, names[type]!, value);
    put(view, at, 'uint16', tag);
    put(view, at + 2, 'uint16', type);
    put(view, at + 4, offsetType, values.length);
    if (values.length * size <= inline) content.copy(directory, at + (big ? 12 : 8));
    else {
      put(view, at + (big ? 12 : 8), offsetType, valuesAt);
      long.push(content);
      valuesAt += content.length;
    }
  }
  put(headView, big ? 8 : 4, offsetType, end);
  return Buffer.concat([head, ...blocks, directory, ...long]);
}

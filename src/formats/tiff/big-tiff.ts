import { InvalidInput } from '../../base/errors.ts';
import { type Grid, mapGrid } from '../../geo/grid.ts';
import { TIFF_TAGS, type TiffTag } from './directory.ts';

/** Field types of TIFF 6.0 and BigTIFF: the code of the type, and the bytes of one value. */
const FIELDS = { ascii: [2, 1], short: [3, 2], long: [4, 4], double: [12, 8], long8: [16, 8] } as const;
type FieldType = keyof typeof FIELDS;

/** A field of a directory that is written. */
export interface Field {
  readonly tag: TiffTag;
  readonly type: FieldType;
  readonly values: readonly number[];
}

/** The first 16 bytes of a little-endian BigTIFF. @param first position of its first directory */
export function encodeHeader(first: number): Buffer {
  const head = Buffer.alloc(16);
  head.write('II', 'latin1');
  head.writeUInt16LE(43, 2); // BigTIFF
  head.writeUInt16LE(8, 4); // size of an offset [bytes]
  head.writeBigUInt64LE(BigInt(first), 8);
  return head;
}

/** A text as the values of a field of the type `ascii`. */
export function ascii(text: string): number[] {
  return [...Buffer.from(text, 'utf8'), 0];
}

/**
 * Fields of the grid's reference system and transform (OGC 19-008).
 * @throws InvalidInput for a reference system without a code
 */
export function placeFields(grid: Grid): Field[] {
  const code = Number(/^EPSG:(\d{1,5})$/.exec(grid.crs)?.[1]);
  if (!Number.isInteger(code))
    throw new InvalidInput(
      `the reference system ${grid.crs} of the collection has no EPSG code, which a GeoTIFF names it by`,
    );
  const geographic = mapGrid(grid).projection.isGeographic;
  // GTModelType (1 projected, 2 geographic), GTRasterType area, then the code of the system.
  const keys = [1024, 0, 1, geographic ? 2 : 1, 1025, 0, 1, 1, geographic ? 2048 : 3072, 0, 1, code];
  const [x, dx, xByRow, y, yByCol, dy] = grid.transform;
  const position: readonly Field[] =
    xByRow === 0 && yByCol === 0 && dx > 0 && dy < 0
      ? [
          { tag: 'ModelPixelScale', type: 'double', values: [dx, -dy, 0] },
          { tag: 'ModelTiepoint', type: 'double', values: [0, 0, 0, x, y, 0] },
        ]
      : [
          {
            tag: 'ModelTransformation',
            type: 'double',
            values: [dx, xByRow, 0, x, yByCol, dy, 0, y, 0, 0, 0, 0, 0, 0, 0, 1],
          },
        ];
  return [...position, { tag: 'GeoKeyDirectory', type: 'short', values: [1, 1, 0, 3, ...keys] }];
}

/**
 * Encodes the directory that starts at position `at` of the file. Values that do not fit into an entry come after the
 * directory.
 * @param following position of the next directory; 0: this is the last one
 */
export function encodeDirectory(fields: readonly Field[], at: number, following = 0): Buffer {
  const present = fields
    .filter(({ values }) => values.length > 0)
    .toSorted((a, b) => TIFF_TAGS[a.tag] - TIFF_TAGS[b.tag]);
  const entries = Buffer.alloc(8 + present.length * 20 + 8);
  entries.writeBigUInt64LE(BigInt(present.length), 0);
  entries.writeBigUInt64LE(BigInt(following), entries.length - 8);
  const behind: Buffer[] = [];
  let next = at + entries.length;
  for (const [i, { tag, type, values }] of present.entries()) {
    const [code, size] = FIELDS[type];
    const bytes = Buffer.alloc(Math.ceil((values.length * size) / 8) * 8);
    for (const [k, value] of values.entries()) put(bytes, type, k * size, value);
    const entry = 8 + i * 20;
    entries.writeUInt16LE(TIFF_TAGS[tag], entry);
    entries.writeUInt16LE(code, entry + 2);
    entries.writeBigUInt64LE(BigInt(values.length), entry + 4);
    if (bytes.length === 8) {
      bytes.copy(entries, entry + 12);
    } else {
      entries.writeBigUInt64LE(BigInt(next), entry + 12);
      behind.push(bytes);
      next += bytes.length;
    }
  }
  return Buffer.concat([entries, ...behind]);
}

function put(bytes: Buffer, type: FieldType, at: number, value: number): void {
  if (type === 'ascii') bytes.writeUInt8(value, at);
  else if (type === 'short') bytes.writeUInt16LE(value, at);
  else if (type === 'long') bytes.writeUInt32LE(value, at);
  else if (type === 'long8') bytes.writeBigUInt64LE(BigInt(value), at);
  else bytes.writeDoubleLE(value, at);
}

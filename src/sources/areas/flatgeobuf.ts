import { InvalidInput } from '../../base/errors.ts';
import { type FileArea, MOST_AREAS } from '../../app/areas/area-file-reader.ts';
import { referenceSystem, shapeInDegrees } from './reference-system.ts';
import type { Shape } from './wkb.ts';

/** First bytes of a file of version 3; the last one may differ. */
const MAGIC = '66676203666762';
const NODE_BYTES = 40; // size of a node of the spatial index
const POLYGON = 3;
const MULTI_POLYGON = 6;
/** Number of bytes of a value, by the type of its column; 0: a length of four bytes stands before the value. */
const COLUMN_BYTES = [1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 0, 0, 0, 0];
const TEXT = 11;

type Ring = readonly (readonly [number, number])[];

/** Whether the first bytes of a file are those of FlatGeobuf. */
export function isFlatGeobuf(head: Buffer): boolean {
  return head.toString('hex', 0, 7) === MAGIC;
}

/**
 * Reads the areas of a FlatGeobuf file.
 * @param nameField column with the names; undefined: `name`, if there is one
 * @throws InvalidInput when it is damaged
 * @see https://flatgeobuf.org
 */
export function readFlatGeobuf(
  bytes: Buffer,
  name: string,
  nameField: string | undefined,
): readonly FileArea[] {
  try {
    const headerBytes = bytes.readUInt32LE(8);
    const header = Table.root(bytes.subarray(12, 12 + headerBytes));
    const columns = header.tables(7).map((column) => ({ title: column.text(0) ?? '', type: column.byte(1) }));
    const wanted = (nameField ?? 'name').toLowerCase();
    const column = columns.findIndex(({ title, type }) => title.toLowerCase() === wanted && type === TEXT);
    if (column < 0 && nameField !== undefined)
      throw new InvalidInput(
        `${name}: expected --name-field with one of ${columns.map(({ title }) => title).join(', ')}`,
        { param: 'name-field' },
      );
    const crs = header.table(10);
    const code = crs?.int(1) ?? 0;
    const projection =
      crs === undefined
        ? undefined
        : referenceSystem(name, code > 0 ? `${crs.text(0) ?? 'EPSG'}:${code}` : undefined, crs.text(4));
    const hadHeights = header.byte(3) === 1;
    const areas: FileArea[] = [];
    let at = 12 + headerBytes + indexBytes(header.long(8), header.short(9) ?? 16);
    while (at + 4 <= bytes.length && areas.length <= MOST_AREAS) {
      const size = bytes.readUInt32LE(at);
      if (size === 0 || at + 4 + size > bytes.length)
        throw new RangeError(`feature ${areas.length + 1} is cut short`);
      const feature = Table.root(bytes.subarray(at + 4, at + 4 + size));
      const title = column < 0 ? undefined : valueOf(feature.bytes(1), columns, column);
      try {
        const geometry = feature.table(0);
        if (geometry === undefined) throw new RangeError('expected a polygon, got no geometry');
        areas.push({
          name: title,
          ...shapeInDegrees(shapeOf(geometry, geometry.byte(6) || header.byte(2), hadHeights), projection),
        });
      } catch (error) {
        areas.push({ name: title, problem: (error as Error).message });
      }
      at += 4 + size;
    }
    return areas;
  } catch (error) {
    if (error instanceof InvalidInput) throw error;
    throw new InvalidInput(`${name} is damaged: ${(error as Error).message}`, { cause: error });
  }
}

/** Size of the spatial index, a packed R-tree, which is skipped [bytes]. */
function indexBytes(count: number, nodeSize: number): number {
  if (nodeSize < 2 || count === 0) return 0;
  let nodes = count;
  for (let level = count; level > 1;) {
    level = Math.ceil(level / nodeSize);
    nodes += level;
  }
  return (count === 1 ? 2 : nodes) * NODE_BYTES;
}

/** @throws RangeError */
function shapeOf(geometry: Table, type: number, hadHeights: boolean): Shape {
  if (type === POLYGON) return { type: 'Polygon', coordinates: ringsOf(geometry), hadHeights };
  if (type !== MULTI_POLYGON)
    throw new RangeError(`expected a polygon or a multipolygon, got a geometry of type ${type}`);
  return { type: 'MultiPolygon', coordinates: geometry.tables(7).map(ringsOf), hadHeights };
}

function ringsOf(geometry: Table): Ring[] {
  const xy = geometry.doubles(1);
  const points = xy.length / 2;
  const ends = geometry.ints(0);
  let from = 0;
  return (ends.length === 0 ? [points] : ends).map((end) => {
    if (!(end > from && end <= points)) throw new RangeError('the rings are in disorder');
    const ring = Array.from({ length: end - from }, (_, i) => {
      const at = 2 * (from + i);
      return [xy[at]!, xy[at + 1]!] as const;
    });
    from = end;
    return ring;
  });
}

/** The text of a column of a feature; undefined when it has none. */
function valueOf(
  properties: Buffer,
  columns: readonly { readonly type: number }[],
  wanted: number,
): string | undefined {
  for (let at = 0; at + 2 <= properties.length;) {
    const column = properties.readUInt16LE(at);
    at += 2;
    const fixed = COLUMN_BYTES[columns[column]?.type ?? -1];
    if (fixed === undefined) throw new RangeError(`a property of column ${column}, which does not exist`);
    const length = fixed === 0 ? properties.readUInt32LE(at) : fixed;
    if (fixed === 0) at += 4;
    if (column === wanted) return properties.toString('utf8', at, at + length);
    at += length;
  }
  return undefined;
}

/** A table of FlatBuffers. @see https://flatbuffers.dev/internals */
class Table {
  readonly #bytes: Buffer;
  readonly #at: number;

  private constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  static root(bytes: Buffer): Table {
    return new Table(bytes, bytes.readUInt32LE(0));
  }

  /** Place of a field; undefined when the table lacks it. */
  #field(index: number): number | undefined {
    const list = this.#at - this.#bytes.readInt32LE(this.#at);
    if (4 + 2 * index + 2 > this.#bytes.readUInt16LE(list)) return undefined;
    const offset = this.#bytes.readUInt16LE(list + 4 + 2 * index);
    return offset === 0 ? undefined : this.#at + offset;
  }

  /** Place of what a field points to, and for a vector the number of its elements. */
  #target(index: number, elementBytes: number): { readonly at: number; readonly count: number } | undefined {
    const field = this.#field(index);
    if (field === undefined) return undefined;
    const at = field + this.#bytes.readUInt32LE(field);
    const count = this.#bytes.readUInt32LE(at);
    if (at + 4 + count * elementBytes > this.#bytes.length) throw new RangeError('a list is cut short');
    return { at: at + 4, count };
  }

  byte(index: number): number {
    const field = this.#field(index);
    return field === undefined ? 0 : this.#bytes.readUInt8(field);
  }

  short(index: number): number | undefined {
    const field = this.#field(index);
    return field === undefined ? undefined : this.#bytes.readUInt16LE(field);
  }

  int(index: number): number | undefined {
    const field = this.#field(index);
    return field === undefined ? undefined : this.#bytes.readInt32LE(field);
  }

  long(index: number): number {
    const field = this.#field(index);
    return field === undefined ? 0 : Number(this.#bytes.readBigUInt64LE(field));
  }

  text(index: number): string | undefined {
    const found = this.#target(index, 1);
    return found && this.#bytes.toString('utf8', found.at, found.at + found.count);
  }

  bytes(index: number): Buffer {
    const found = this.#target(index, 1);
    return found === undefined ? Buffer.alloc(0) : this.#bytes.subarray(found.at, found.at + found.count);
  }

  ints(index: number): number[] {
    const found = this.#target(index, 4);
    return Array.from({ length: found?.count ?? 0 }, (_, i) => this.#bytes.readUInt32LE(found!.at + 4 * i));
  }

  doubles(index: number): number[] {
    const found = this.#target(index, 8);
    return Array.from({ length: found?.count ?? 0 }, (_, i) => this.#bytes.readDoubleLE(found!.at + 8 * i));
  }

  table(index: number): Table | undefined {
    const field = this.#field(index);
    return field === undefined ? undefined : new Table(this.#bytes, field + this.#bytes.readUInt32LE(field));
  }

  tables(index: number): Table[] {
    const found = this.#target(index, 4);
    return Array.from({ length: found?.count ?? 0 }, (_, i) => {
      const at = found!.at + 4 * i;
      return new Table(this.#bytes, at + this.#bytes.readUInt32LE(at));
    });
  }
}

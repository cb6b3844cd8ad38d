import { InvalidInput } from '../../base/errors.ts';
import type { FileArea } from '../../app/areas/area-file-reader.ts';
import { referenceSystem, shapeInDegrees } from './reference-system.ts';
import type { Shape } from './wkb.ts';

const HEAD_BYTES = 100;
const FILE_CODE = 9994;
/** Kinds of polygons: plain, with heights and measures, with measures. */
const POLYGONS: Readonly<Record<number, { readonly hadHeights: boolean }>> = {
  5: { hadHeights: false },
  15: { hadHeights: true },
  25: { hadHeights: false },
};
const NO_SHAPE = 0;

type Ring = readonly (readonly [x: number, y: number])[];

/** The files of a shapefile. */
export interface ShapefileParts {
  readonly shp: Buffer;
  readonly dbf: Buffer | undefined;
  readonly prj: string | undefined;
  /** Name of the encoding of the table, from the `.cpg` file. */
  readonly cpg: string | undefined;
}

/**
 * Reads the areas of a shapefile.
 * @param nameField column with the names; undefined: `name`, if there is one
 * @throws InvalidInput when it is damaged, has no polygons or no reference system
 * @see ESRI Shapefile Technical Description, 1998
 */
export function readShapefile(
  { shp, dbf, prj, cpg }: ShapefileParts,
  name: string,
  nameField: string | undefined,
): readonly FileArea[] {
  if (shp.length < HEAD_BYTES || shp.readInt32BE(0) !== FILE_CODE)
    throw new InvalidInput(`${name} is no shapefile, or is cut short`);
  const kind = shp.readInt32LE(32);
  const polygons = POLYGONS[kind];
  if (polygons === undefined)
    throw new InvalidInput(`${name}: expected polygons, got shapes of type ${kind}`);
  if (prj === undefined)
    throw new InvalidInput(
      `${name} has no .prj file that names its reference system; put it beside the .shp, or convert it with ogr2ogr`,
    );
  const projection = referenceSystem(name, undefined, prj);
  const names = dbf === undefined ? undefined : namesOf(dbf, name, nameField, cpg);
  const areas: FileArea[] = [];
  for (let at = HEAD_BYTES; at + 8 <= shp.length;) {
    const bytes = 2 * shp.readInt32BE(at + 4);
    const end = at + 8 + bytes;
    const title = names?.[areas.length];
    if (bytes < 4 || end > shp.length)
      throw new InvalidInput(`${name} is cut short: shape ${areas.length + 1} ends behind the file`);
    const record = shp.subarray(at + 8, end);
    try {
      areas.push({ name: title, ...shapeInDegrees(shapeOf(record, polygons.hadHeights), projection) });
    } catch (error) {
      areas.push({ name: title, problem: (error as Error).message });
    }
    at = end;
  }
  return areas;
}

/** @throws RangeError */
function shapeOf(record: Buffer, hadHeights: boolean): Shape {
  if (record.readInt32LE(0) === NO_SHAPE) throw new RangeError('expected a polygon, got no geometry');
  const [parts, points] = [record.readInt32LE(36), record.readInt32LE(40)];
  if (parts < 1 || points < 1 || 44 + 4 * parts + 16 * points > record.length)
    throw new RangeError('the shape is cut short');
  const starts = Array.from({ length: parts }, (_, i) => record.readInt32LE(44 + 4 * i));
  const rings = starts.map((start, i): Ring => {
    const stop = starts[i + 1] ?? points;
    if (!(start >= 0 && start < stop && stop <= points))
      throw new RangeError('the parts of the shape are in disorder');
    return Array.from({ length: stop - start }, (_, p) => {
      const from = 44 + 4 * parts + 16 * (start + p);
      return [record.readDoubleLE(from), record.readDoubleLE(from + 8)] as const;
    });
  });
  const polygons = nested(rings);
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0]!, hadHeights }
    : { type: 'MultiPolygon', coordinates: polygons, hadHeights };
}

/** Outer rings, which run clockwise in a shapefile and here counter-clockwise, each with the holes inside it. */
function nested(rings: readonly Ring[]): Ring[][] {
  const outer = rings.filter((ring) => twiceArea(ring) < 0).map((ring): Ring[] => [ring.toReversed()]);
  const holes = rings.filter((ring) => twiceArea(ring) >= 0);
  if (outer.length === 0) return holes.map((ring) => [ring]); // written the wrong way round
  for (const hole of holes) (outer.find(([ring]) => contains(ring!, hole[0]!)) ?? outer[0]!).push(hole);
  return outer;
}

function twiceArea(ring: Ring): number {
  let sum = 0;
  for (let i = 1; i < ring.length; i++) sum += ring[i - 1]![0] * ring[i]![1] - ring[i]![0] * ring[i - 1]![1];
  return sum;
}

function contains(ring: Ring, [x, y]: readonly [number, number]): boolean {
  let isInside = false;
  for (let i = 1; i < ring.length; i++) {
    const [[ax, ay], [bx, by]] = [ring[i - 1]!, ring[i]!];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) isInside = !isInside;
  }
  return isInside;
}

/** Names from the table; undefined when it has no such column. @see dBASE III: 32 bytes of header, then 32 a field */
function namesOf(
  dbf: Buffer,
  name: string,
  nameField: string | undefined,
  cpg: string | undefined,
): readonly (string | undefined)[] | undefined {
  if (dbf.length < 33) throw new InvalidInput(`${name}: its table (.dbf) is cut short`);
  const [count, head, width] = [dbf.readUInt32LE(4), dbf.readUInt16LE(8), dbf.readUInt16LE(10)];
  const fields: { readonly title: string; readonly at: number; readonly length: number }[] = [];
  let offset = 1;
  for (let at = 32; at + 32 <= Math.min(head, dbf.length) && dbf[at] !== 0x0d; at += 32) {
    fields.push({
      title: dbf.toString('latin1', at, at + 11).replace(/\0.*$/s, ''),
      at: offset,
      length: dbf[at + 16]!,
    });
    offset += dbf[at + 16]!;
  }
  const field = fields.find(({ title }) => title.toLowerCase() === (nameField ?? 'name').toLowerCase());
  if (field === undefined) {
    if (nameField === undefined) return undefined;
    throw new InvalidInput(
      `${name}: expected --name-field with one of ${fields.map(({ title }) => title).join(', ')}`,
      { param: 'name-field' },
    );
  }
  const encoding = /utf-?8|65001/i.test(cpg ?? '') ? 'utf8' : 'latin1';
  const rows = width === 0 ? 0 : Math.min(count, Math.floor((dbf.length - head) / width));
  return Array.from({ length: rows }, (_, i) => {
    const from = head + i * width + field.at;
    return (
      dbf
        .toString(encoding, from, from + field.length)
        .replaceAll('\0', '')
        .trim() || undefined
    );
  });
}

import type { Column } from '../../contract/fields.ts';

/** Media type of Apache Parquet. @see https://www.iana.org/assignments/media-types/application/vnd.apache.parquet */
export const PARQUET_TYPE = 'application/vnd.apache.parquet';
/** Name of the geometry column: that of the examples of GeoParquet. */
const GEOMETRY_NAME = 'geometry';

type Library = typeof import('hyparquet-writer');
let library: Library | undefined;

/** Loads the library, which only answers in Parquet need. */
export async function loadParquet(): Promise<void> {
  library ??= await import('hyparquet-writer');
}

interface Geometry {
  readonly type: 'Polygon' | 'MultiPolygon';
  readonly coordinates: unknown[];
}

/**
 * Writes rows as a Parquet file. Times are timestamps in milliseconds UTC, days are dates, lists and objects JSON text.
 * A geometry is a column of well-known binary, and the file then is GeoParquet 1.1.
 * @throws Error before {@link loadParquet}
 * @see https://geoparquet.org/releases/v1.1.0/
 */
export function parquetFile(
  columns: readonly Column[],
  rows: readonly Readonly<Record<string, unknown>>[],
): Buffer {
  if (library === undefined) throw new Error('the library is not loaded');
  const { parquetWriteBuffer, geojsonToWkb } = library;
  const shapes = columns.find(({ kind }) => kind === 'geometry');
  const geometries = shapes && rows.map((row) => (row[shapes.name] ?? null) as Geometry | null);
  const file = parquetWriteBuffer({
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map((column) => ({
        name: column.kind === 'geometry' ? GEOMETRY_NAME : column.name,
        ...STORED[column.kind],
        repetition_type: 'OPTIONAL' as const,
      })),
    ],
    columnData: columns.map(({ name, kind }) => ({
      name: kind === 'geometry' ? GEOMETRY_NAME : name,
      data: rows.map((row) => {
        const value = row[name];
        if (value === null || value === undefined) return null;
        return kind === 'geometry' ? geojsonToWkb(value as never) : storedOf(kind, value);
      }),
    })),
    ...(geometries && { kvMetadata: [{ key: 'geo', value: JSON.stringify(geoMetadata(geometries)) }] }),
  });
  return Buffer.from(file);
}

/** How a column of each kind is stored. */
const STORED = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  number: { type: 'DOUBLE' },
  integer: { type: 'INT64' },
  flag: { type: 'BOOLEAN' },
  moment: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  day: { type: 'INT32', converted_type: 'DATE' },
  geometry: { type: 'BYTE_ARRAY' },
} as const satisfies Readonly<Record<Column['kind'], object>>;

function storedOf(kind: Exclude<Column['kind'], 'geometry'>, value: unknown): unknown {
  switch (kind) {
    case 'json':
      return JSON.stringify(value);
    case 'integer':
      return BigInt(value as number);
    case 'moment':
    case 'day':
      return new Date(value as string);
    case 'text':
    case 'number':
    case 'flag':
      return value;
    default:
      return kind satisfies never;
  }
}

/** Metadata of the geometry column. Its reference system is the default: longitude and latitude on WGS84. */
function geoMetadata(geometries: readonly (Geometry | null)[]): object {
  const bbox: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  const types = new Set<string>();
  const visit = (coordinates: readonly unknown[]): void => {
    if (typeof coordinates[0] !== 'number') {
      for (const part of coordinates) visit(part as readonly unknown[]);
      return;
    }
    const [lng, lat] = coordinates as readonly number[];
    bbox[0] = Math.min(bbox[0], lng!);
    bbox[1] = Math.min(bbox[1], lat!);
    bbox[2] = Math.max(bbox[2], lng!);
    bbox[3] = Math.max(bbox[3], lat!);
  };
  for (const geometry of geometries) {
    if (geometry === null) continue;
    types.add(geometry.type);
    visit(geometry.coordinates);
  }
  const column = { encoding: 'WKB', geometry_types: [...types].toSorted(), ...(types.size > 0 && { bbox }) };
  return { version: '1.1.0', primary_column: GEOMETRY_NAME, columns: { [GEOMETRY_NAME]: column } };
}

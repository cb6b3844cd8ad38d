import { type TObject, Type, type TSchema } from 'typebox';
import { NAME_PATTERN } from './name-text.ts';
import { PERILS } from './vocabulary.ts';
import { PAGE_ITEMS } from './limits.ts';

export type Peril = (typeof PERILS)[number];
export const Peril = Type.Enum([...PERILS], { title: 'Peril', description: 'What the place is exposed to.' });
export const Lat = Type.Number({ minimum: -90, maximum: 90, description: 'Latitude in decimal degrees.' });
export const Lng = Type.Number({ minimum: -180, maximum: 180, description: 'Longitude in decimal degrees.' });

/** A time in a query: an RFC 3339 timestamp, or a day, which means its start in UTC. */
export const When = (description: string) =>
  Type.String({ format: 'moment', description: `${description} RFC 3339 timestamp, or YYYY-MM-DD.` });

/** A box in a query. */
export const Box = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: `${description} \`west,south,east,north\` in decimal degrees. West is greater than east where the box crosses the antimeridian.`,
  });

/** A name that a caller gives to a resource. */
export const NameText = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: NAME_PATTERN, description });

export const Timestamp = (description: string) => Type.String({ format: 'date-time', description });
export const Day = (description: string) => Type.String({ format: 'date', description });

export const Probability = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

/** Makes `schema` nullable. The result is one schema, so that a serialiser does not have to try alternatives. */
export const nullable = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Type.Static<T> | null>({
    ...schema,
    type: [(schema as unknown as { type: string }).type, 'null'],
  });

export const Limit = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: PAGE_ITEMS,
    default: PAGE_ITEMS,
    description: 'Most items in one answer.',
  }),
);
export const Cursor = Type.Optional(
  Type.String({ minLength: 1, maxLength: 400, description: '`next_cursor` of the answer before.' }),
);
export const NextCursor = Type.Optional(
  Type.String({
    description:
      'Present only when there is more, also on a page with fewer items than `limit`: filters that select rare items look at a bounded number of them for each page.',
  }),
);
/** Format of a list. */
export const ListFormat = Type.Optional(
  Type.Enum(['json', 'csv', 'parquet'], {
    description:
      '`csv` is the same as accepting `text/csv`, `parquet` as accepting `application/vnd.apache.parquet`.',
  }),
);
/** Format of a list of things with a geometry. */
export const DrawnListFormat = Type.Optional(
  Type.Enum(['json', 'geojson', 'csv', 'parquet'], {
    description:
      '`geojson` is the same as accepting `application/geo+json`, `csv` as accepting `text/csv`, `parquet` as accepting `application/vnd.apache.parquet`.',
  }),
);
export const GeoJsonFormat = Type.Optional(
  Type.Enum(['json', 'geojson'], {
    description: '`geojson` is the same as accepting `application/geo+json`.',
  }),
);

const list = (items: object): object => ({ type: 'array', items });
/** Rings of positions, as in a Polygon. */
const RINGS = list(list(list({ type: 'number' })));

export const Geometry = Type.Unsafe<{
  readonly type: 'Polygon' | 'MultiPolygon';
  readonly coordinates: unknown[];
}>({
  title: 'AreaGeometry',
  description: 'GeoJSON Polygon or MultiPolygon (RFC 7946), WGS84, longitude first.',
  anyOf: [
    {
      type: 'object',
      required: ['type', 'coordinates'],
      properties: { type: { const: 'Polygon' }, coordinates: RINGS },
    },
    {
      type: 'object',
      required: ['type', 'coordinates'],
      properties: { type: { const: 'MultiPolygon' }, coordinates: list(RINGS) },
    },
  ],
});

/** A resource as a GeoJSON feature: its members but the geometry are the properties. */
export function featureOf(resource: TObject, title: string): TSchema {
  return Type.Object(
    {
      type: Type.Literal('Feature'),
      id: Type.String(),
      geometry: Geometry,
      properties: Type.Omit(resource, ['geometry']),
    },
    { title },
  );
}

/** A page of a list of resources as GeoJSON. */
export function featuresOf(resource: TObject, title: string): TSchema {
  return Type.Object(
    {
      type: Type.Literal('FeatureCollection'),
      features: Type.Array(featureOf(resource, title)),
      next_cursor: NextCursor,
    },
    { title: `${title}s` },
  );
}

/** Column of a list as a table. */
export interface Column {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'integer' | 'flag' | 'moment' | 'day' | 'json' | 'geometry';
}

/** Name of a column of geometries in CSV. GDAL and QGIS read a column of this name as geometry. */
export const GEOMETRY_COLUMN = 'wkt';
export const GEOMETRIES: Column = { name: GEOMETRY_COLUMN, kind: 'geometry' };

/** Columns of a list as a table: the fields of its items in their order, and last the geometry. */
export function columnsOf(item: TObject, without: readonly string[] = []): readonly Column[] {
  const fields = Object.entries(item.properties).filter(([name]) => !without.includes(name));
  const columns = fields
    .filter(([name]) => name !== 'geometry')
    .map(([name, schema]) => ({ name, kind: kindOf(schema) }));
  return columns.length < fields.length ? [...columns, GEOMETRIES] : columns;
}

function kindOf(schema: TSchema): Column['kind'] {
  const { type, format, enum: names, const: only } = schema as Readonly<Record<string, unknown>>;
  const [plain, ...more] = [type].flat().filter((one) => one !== 'null');
  if (more.length > 0) return 'json';
  if (plain === 'string' || Array.isArray(names))
    return format === 'date-time' ? 'moment' : format === 'date' ? 'day' : 'text';
  if (plain === 'boolean' || typeof only === 'boolean') return 'flag';
  return plain === 'number' || plain === 'integer' ? plain : 'json';
}

import { basename } from 'node:path';
import { type FileArea, MOST_AREAS } from '../../app/areas/area-file-reader.ts';
import { InvalidInput } from '../../base/errors.ts';
import { type ParquetHead, parquetGroups } from '../../formats/parquet/lines.ts';
import { areaOf } from './geojson-areas.ts';
import { referenceSystem } from './reference-system.ts';

/** The column with the geometries. */
export interface GeometryColumn {
  readonly title: string;
  readonly projection: ReturnType<typeof referenceSystem>;
}

/**
 * Reads the areas of a GeoParquet file.
 * @param nameField column with the names; undefined: `name`, if there is one
 * @throws InvalidInput when it is no GeoParquet, is damaged, or has too many rows
 * @see https://geoparquet.org/releases/v1.1.0
 */
export async function readGeoParquet(
  path: string,
  nameField: string | undefined,
): Promise<readonly FileArea[]> {
  const name = basename(path);
  let column: GeometryColumn | undefined;
  const accept = (head: ParquetHead): void => {
    if (head.rows > MOST_AREAS)
      throw new InvalidInput(
        `${path}: expected at most ${MOST_AREAS} areas, got ${head.rows}; divide the file`,
        {
          param: 'file',
        },
      );
    column = geometryColumn(name, head.texts.get('geo'));
  };
  const areas: FileArea[] = [];
  for await (const rows of parquetGroups(path, accept)) {
    for (const { [column!.title]: geometry, ...properties } of rows)
      areas.push(areaOf({ type: 'Feature', geometry, properties }, column!.projection, nameField));
  }
  return areas;
}

/**
 * Finds the primary geometry and its reference system. Without one it is longitude and latitude.
 * @param geo the text `geo` of the metadata
 * @throws InvalidInput
 */
export function geometryColumn(name: string, geo: string | undefined): GeometryColumn {
  const refused = (reason: string): InvalidInput =>
    new InvalidInput(`${name}: expected GeoParquet with geometries in WKB, ${reason}`, { param: 'file' });
  if (geo === undefined) throw refused('got Parquet without the metadata "geo"');
  let about: GeoMetadata | null;
  try {
    about = JSON.parse(geo) as GeoMetadata | null;
  } catch {
    throw refused('and its metadata "geo" is no JSON');
  }
  const title = about?.primary_column;
  const column = typeof title === 'string' ? about?.columns?.[title] : undefined;
  if (typeof title !== 'string' || typeof column !== 'object' || column === null)
    throw refused('and its metadata "geo" names no primary column');
  if (column.encoding !== 'WKB') throw refused(`got the encoding ${String(column.encoding).slice(0, 40)}`);
  const { crs } = column;
  if (crs === undefined || crs?.id?.authority === 'OGC') return { title, projection: undefined };
  const code = crs?.id === undefined ? undefined : `${String(crs.id.authority)}:${String(crs.id.code)}`;
  return { title, projection: referenceSystem(name, code, undefined) };
}

/** What is read of the metadata `geo`; any of it may be absent or of another type in a damaged file. */
interface GeoMetadata {
  readonly primary_column?: unknown;
  readonly columns?: Readonly<
    Record<
      string,
      {
        readonly encoding?: unknown;
        /** PROJJSON; null: unknown. */
        readonly crs?: { readonly id?: { readonly authority?: unknown; readonly code?: unknown } } | null;
      } | null
    >
  >;
}

import { basename } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import { type FileArea, MOST_AREAS } from '../../app/areas/area-file-reader.ts';
import { referenceSystem, shapeInDegrees } from './reference-system.ts';
import { readWkb } from './wkb.ts';

/** Number of bytes of the box in the header of a geometry, by its kind. */
const ENVELOPES = [0, 32, 48, 48, 64];
const EMPTY = 0x10; // flag of a geometry without positions

/**
 * Reads the areas of a table of a GeoPackage.
 * @param layer name of the table; undefined: the only one with polygons
 * @param nameField column with the names; undefined: `name`, if there is one
 * @throws InvalidInput when it is no GeoPackage, or the table cannot be chosen
 * @see OGC 12-128r19
 */
export async function readGeoPackage(
  path: string,
  layer: string | undefined,
  nameField: string | undefined,
): Promise<readonly FileArea[]> {
  const name = basename(path);
  const { DatabaseSync } = await import('node:sqlite');
  let database: InstanceType<typeof DatabaseSync> | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    database.exec('PRAGMA trusted_schema = OFF; PRAGMA query_only = ON;');
    const tables = database
      .prepare(
        `SELECT g.table_name AS title, g.column_name AS geometry, g.srs_id AS srs FROM gpkg_geometry_columns g
         JOIN sqlite_master m ON m.name = g.table_name AND m.type = 'table' ORDER BY 1 LIMIT 1000`,
      )
      .all() as unknown as readonly {
      readonly title: string;
      readonly geometry: string;
      readonly srs: number;
    }[];
    const titles = tables.map(({ title }) => title);
    const table =
      layer === undefined && tables.length === 1 ? tables[0] : tables.find(({ title }) => title === layer);
    if (table === undefined)
      throw new InvalidInput(
        `${name}: expected --layer with one of ${titles.join(', ') || '(there is none)'}`,
        { param: 'layer' },
      );
    const columns = database
      .prepare(`SELECT name FROM pragma_table_info(?)`)
      .all(table.title)
      .map((row) => String(row['name']));
    const field = columns.find((column) => column.toLowerCase() === (nameField ?? 'name').toLowerCase());
    if (field === undefined && nameField !== undefined)
      throw new InvalidInput(`${name}: expected --name-field with one of ${columns.join(', ')}`, {
        param: 'name-field',
      });
    const system = database
      .prepare(
        'SELECT organization AS who, organization_coordsys_id AS code, definition AS wkt FROM gpkg_spatial_ref_sys WHERE srs_id = ?',
      )
      .get(table.srs);
    // Rows of undefined systems are part of every GeoPackage; GDAL adds its own.
    const isKnown = system !== undefined && !/undefined/i.test(String(system['wkt']));
    const projection = referenceSystem(
      name,
      isKnown ? `${String(system['who'])}:${String(system['code'])}` : undefined,
      isKnown ? String(system['wkt']) : undefined,
    );
    const quoted = (column: string): string => `"${column.replaceAll('"', '""')}"`;
    const rows = database
      .prepare(
        `SELECT ${quoted(table.geometry)} AS geometry, ${field === undefined ? 'NULL' : quoted(field)} AS name FROM ${quoted(table.title)} LIMIT ${MOST_AREAS + 1}`,
      )
      .all();
    return rows.map((row): FileArea => {
      const title = row['name'] === null || row['name'] === undefined ? undefined : String(row['name']);
      try {
        if (!(row['geometry'] instanceof Uint8Array))
          throw new RangeError('expected a polygon, got no geometry');
        return { name: title, ...shapeInDegrees(readWkb(wkbOf(row['geometry'])), projection) };
      } catch (error) {
        return { name: title, problem: (error as Error).message };
      }
    });
  } catch (error) {
    if (error instanceof InvalidInput) throw error;
    throw new InvalidInput(`${name} cannot be read as a GeoPackage: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    database?.close();
  }
}

/** The well-known binary in a geometry of a GeoPackage. @throws RangeError */
function wkbOf(bytes: Uint8Array): Uint8Array {
  const flags = bytes[3] ?? 0;
  if (bytes.length < 8 || bytes[0] !== 0x47 || bytes[1] !== 0x50)
    throw new RangeError('the geometry has no header of a GeoPackage');
  if ((flags & EMPTY) !== 0) throw new RangeError('expected a polygon, got an empty geometry');
  const box = ENVELOPES[(flags >> 1) & 7];
  if (box === undefined) throw new RangeError('the geometry has a box of an unknown kind');
  return bytes.subarray(8 + box);
}

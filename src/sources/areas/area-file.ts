import { open, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import {
  type AreaFileChoice,
  type AreaFileReader,
  type FileArea,
  MOST_AREAS,
} from '../../app/areas/area-file-reader.ts';
import { readText } from '../../formats/csv/table.ts';
import { readBytes } from '../../formats/memory-file.ts';
import type { RandomAccess } from '../../formats/random-access.ts';
import { isParquet } from '../../formats/parquet/lines.ts';
import { openZipEntry, type ZipEntry, zipEntries } from '../../formats/zip/archive.ts';
import { isFlatGeobuf, readFlatGeobuf } from './flatgeobuf.ts';
import { readGeoJsonAreas, RECORD_SEPARATOR } from './geojson-areas.ts';
import { readGeoParquet } from './geoparquet.ts';
import { readGeoPackage } from './geopackage.ts';
import { readKml } from './kml.ts';
import { readShapefile } from './shapefile.ts';

const MOST_BYTES = 2 ** 28; // maximum size of a file that is read whole
const EXPECTED =
  'expected GeoJSON, KML, KMZ, a GeoPackage, a shapefile (.shp, or all its files as .zip), FlatGeobuf or GeoParquet';

/** Reads files of areas. The format is recognised from the content. */
export class AreaFiles implements AreaFileReader {
  async readAreas(path: string, choice: AreaFileChoice): Promise<readonly FileArea[]> {
    const areas = await areasOf(path, choice);
    if (areas.length === 0) throw new InvalidInput(`${path}: expected areas, found none`, { param: 'file' });
    if (areas.length > MOST_AREAS)
      throw new InvalidInput(`${path}: expected at most ${MOST_AREAS} areas; divide the file`, {
        param: 'file',
      });
    return areas;
  }
}

async function areasOf(path: string, { layer, nameField }: AreaFileChoice): Promise<readonly FileArea[]> {
  const name = basename(path);
  const head = await headOf(path);
  if (head.toString('latin1', 0, 15) === 'SQLite format 3') return readGeoPackage(path, layer, nameField);
  if (head.toString('latin1', 0, 4) === 'PK\x03\x04') return archived(path, { layer, nameField });
  if (isParquet(head)) return readGeoParquet(path, nameField);
  if (isFlatGeobuf(head)) return readFlatGeobuf(await whole(path), name, nameField);
  if (head.toString('hex', 0, 4) === '0000270a') {
    const beside = async (end: string): Promise<Buffer | undefined> =>
      (await readFile(path.replace(/\.shp$/i, `.${end}`)).catch(() => undefined)) ??
      (await readFile(path.replace(/\.shp$/i, `.${end.toUpperCase()}`)).catch(() => undefined));
    const parts = {
      shp: await whole(path),
      dbf: await beside('dbf'),
      prj: (await beside('prj'))?.toString('utf8'),
      cpg: (await beside('cpg'))?.toString('utf8'),
    };
    return readShapefile(parts, name, nameField);
  }
  const text = (await readText(path)).replace(/^\uFEFF/, '').trimStart();
  if (text.startsWith('<')) return readKml(text, name);
  if (text.startsWith('{') || text.startsWith(`${RECORD_SEPARATOR}{`))
    return readGeoJsonAreas(text, name, nameField);
  throw new InvalidInput(`${path}: ${EXPECTED}`, { param: 'file' });
}

/** Areas of a KMZ file, or of a shapefile in an archive. */
async function archived(path: string, { layer, nameField }: AreaFileChoice): Promise<readonly FileArea[]> {
  const name = basename(path);
  const file = await open(path, 'r');
  try {
    const entries = await zipEntries(file, name);
    const ending = (end: string): readonly ZipEntry[] =>
      entries.filter((entry) => entry.name.toLowerCase().endsWith(`.${end}`));
    const documents = ending('kml');
    if (documents.length > 0) {
      // The main document of a KMZ file often only links those of its layers.
      const areas: FileArea[] = [];
      for (const kml of documents) {
        areas.push(...readKml((await unpacked(file, name, kml)).toString('utf8'), `${name}/${kml.name}`));
        if (areas.length > MOST_AREAS) break;
      }
      return areas;
    }
    const shapes = ending('shp').filter((one) => !one.name.includes('__MACOSX'));
    const titles = shapes.map((one) => basename(one.name).slice(0, -4));
    const at = layer === undefined && shapes.length === 1 ? 0 : titles.indexOf(layer ?? '');
    const shp = shapes[at];
    if (shp === undefined)
      throw new InvalidInput(
        shapes.length === 0
          ? `${path}: ${EXPECTED}`
          : `${name}: expected --layer with one of ${titles.join(', ')}`,
        { param: shapes.length === 0 ? 'file' : 'layer' },
      );
    const part = async (end: string): Promise<Buffer | undefined> => {
      const wanted = `${shp.name.slice(0, -4)}.${end}`.toLowerCase();
      const entry = entries.find((one) => one.name.toLowerCase() === wanted);
      return entry && unpacked(file, name, entry);
    };
    const parts = {
      shp: await unpacked(file, name, shp),
      dbf: await part('dbf'),
      prj: (await part('prj'))?.toString('utf8'),
      cpg: (await part('cpg'))?.toString('utf8'),
    };
    return readShapefile(parts, `${name}/${shp.name}`, nameField);
  } finally {
    await file.close();
  }
}

async function unpacked(file: RandomAccess, archive: string, entry: ZipEntry): Promise<Buffer> {
  const opened = await openZipEntry(file, archive, entry, MOST_BYTES);
  const { size } = await opened.stat();
  if (size > MOST_BYTES)
    throw new InvalidInput(`${archive}/${entry.name} has ${size} bytes; expected at most ${MOST_BYTES}`);
  return readBytes(opened, 0, size);
}

async function whole(path: string): Promise<Buffer> {
  const { size } = await stat(path);
  if (size > MOST_BYTES)
    throw new InvalidInput(`${path} has ${size} bytes; expected at most ${MOST_BYTES}: divide it`);
  return readFile(path);
}

/** The first bytes of a file. @throws InvalidInput when it cannot be read */
async function headOf(path: string): Promise<Buffer> {
  try {
    const file = await open(path, 'r');
    try {
      return await readBytes(file, 0, 16);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, {
      param: 'file',
      cause: error,
    });
  }
}

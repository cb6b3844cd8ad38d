import { open, type FileHandle } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { AsyncBuffer, Compressors } from 'hyparquet';
import { InvalidInput } from '../../base/errors.ts';

const MAGIC = 'PAR1';
/** Maximum size of a group of rows after unpacking [bytes]. Groups are read whole; usual ones have 128 MB. */
const MOST_GROUP_BYTES = 2 ** 29;
const MOST_GROUP_ROWS = 2 ** 22; // maximum number of rows of a group
const LINES = 10_000; // number of lines that are given at once

/** Whether the first bytes of a file are those of Parquet. */
export function isParquet(head: Buffer): boolean {
  return head.toString('latin1', 0, 4) === MAGIC;
}

/** Whether a file is Parquet; false where it cannot be read. */
export async function isParquetFile(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  try {
    const { buffer } = (await file?.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0)) ?? {};
    return buffer !== undefined && isParquet(buffer);
  } catch {
    return false; // a folder
  } finally {
    await file?.close();
  }
}

type Unpack = (input: Uint8Array, length: number) => Uint8Array;
const packed =
  (unpack: (input: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array): Unpack =>
  (input, length) =>
    unpack(input, { maxOutputLength: Math.max(1, length) });
/** Each decoder stops where the page should end. */
const COMPRESSORS: Compressors = {
  GZIP: packed(gunzipSync),
  ZSTD: packed(zstdDecompressSync),
  BROTLI: packed(brotliDecompressSync),
};

/** The metadata of a Parquet file that readers here use. */
export interface ParquetHead {
  /** Number of rows. */
  readonly rows: number;
  /** Texts that the writer added, such as `geo` of GeoParquet. */
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Reads the rows of a Parquet file, a group at a time. Geometries of GeoParquet are GeoJSON.
 * @param accept sees the metadata before any row is read; it may refuse the file
 * @throws InvalidInput when the file is damaged, or its groups of rows are too large
 * @see https://parquet.apache.org/docs/file-format
 */
export async function* parquetGroups(
  path: string,
  accept: (head: ParquetHead) => void = () => {},
): AsyncGenerator<readonly Row[]> {
  const { parquetMetadataAsync, parquetReadObjects } = await import('hyparquet');
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    const buffer = await bufferOf(file);
    const metadata = await parquetMetadataAsync(buffer);
    const texts = metadata.key_value_metadata?.map(({ key, value }) => [key, value ?? ''] as const);
    accept({ rows: Number(metadata.num_rows), texts: new Map(texts) });
    let start = 0;
    for (const group of metadata.row_groups) {
      const rows = Number(group.num_rows);
      const bytes = group.columns.reduce(
        (sum, { meta_data: meta }) => sum + Number(meta?.total_uncompressed_size ?? 0),
        0,
      );
      if (!(rows <= MOST_GROUP_ROWS && bytes <= MOST_GROUP_BYTES))
        throw new InvalidInput(
          `${path}: expected groups of at most ${MOST_GROUP_ROWS} rows and ${MOST_GROUP_BYTES} bytes, got ${rows} rows and ${bytes} bytes`,
          { param: 'file' },
        );
      const found: readonly Row[] = await parquetReadObjects({
        file: buffer,
        metadata,
        compressors: COMPRESSORS,
        rowStart: start,
        rowEnd: start + rows,
      });
      start += rows;
      if (found.length !== rows) throw new RangeError(`a group has ${found.length} rows instead of ${rows}`);
      yield found;
    }
  } catch (error) {
    throw damaged(path, error);
  } finally {
    await file?.close();
  }
}

/** Longitude and latitude of the x and y of a point. */
type ToLngLat = (x: number, y: number) => readonly number[];

/**
 * Reads a table in a Parquet file as lines of comma-separated text: a line of names, then one line for each row. Times
 * are in RFC 3339 and UTC. The position of a GeoParquet table of points stands in the columns `lat` and `lng`. Columns of
 * lists and structures are left out.
 * @param toLngLatOf finds the projection of the points by the text `geo` of the metadata; undefined: they have none. By
 * default points of a projection are refused
 * @throws InvalidInput as {@link parquetGroups}
 */
export async function* parquetLines(
  path: string,
  toLngLatOf: (geo: string) => ToLngLat | undefined = (geo) => refuseProjected(path, geo),
): AsyncGenerator<{ readonly first: number; readonly texts: readonly string[] }> {
  let columns: readonly Column[] | undefined;
  let first = 1;
  let geo: string | undefined;
  const accept = ({ rows, texts }: ParquetHead): void => {
    if (rows === 0) throw new InvalidInput(`${path} has no rows`, { param: 'file' });
    geo = texts.get('geo');
  };
  for await (const found of parquetGroups(path, accept)) {
    if (columns === undefined && found.length > 0) {
      columns = columnsOf(found, () => (geo === undefined ? undefined : toLngLatOf(geo)));
      yield { first: first++, texts: [columns.map(({ title }) => quoted(title)).join(',')] };
    }
    for (let at = 0; at < found.length; at += LINES) {
      const texts = textsOf(path, found.slice(at, at + LINES), columns!);
      yield { first, texts };
      first += texts.length;
    }
  }
}

function textsOf(path: string, rows: readonly Row[], columns: readonly Column[]): readonly string[] {
  try {
    return rows.map((row) => columns.map((one) => quoted(one.text(row))).join(','));
  } catch (error) {
    throw damaged(path, error);
  }
}

function damaged(path: string, error: unknown): InvalidInput {
  if (error instanceof InvalidInput) return error;
  return new InvalidInput(`${path} cannot be read as Parquet: ${(error as Error).message}`, {
    param: 'file',
    cause: error,
  });
}

type Row = Readonly<Record<string, unknown>>;
interface Column {
  readonly title: string;
  readonly text: (row: Row) => string;
}

/** Refuses points that are not longitudes and latitudes. A file whose metadata are damaged says nothing of it. */
function refuseProjected(path: string, geo: string): undefined {
  const about = asRecord(parsed(geo));
  const column = asRecord(asRecord(about?.['columns'])?.[String(about?.['primary_column'])]);
  const crs = asRecord(column?.['crs']);
  const id = asRecord(crs?.['id']);
  if (!String(crs?.['type']).startsWith('Projected')) return undefined;
  throw new InvalidInput(
    `${path}: its points are in a projection (${String(id?.['authority'] ?? crs?.['name'])}${id === undefined ? '' : `:${String(id['code'])}`}); convert them to EPSG:4326, for example with ogr2ogr -t_srs EPSG:4326`,
    { param: 'file' },
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asRecord(value: unknown): Row | undefined {
  return typeof value === 'object' && value !== null ? { ...value } : undefined;
}

/** Name that pandas gives the column of an index without a name. */
const PANDAS_INDEX = '__index_level_0__';

/** The columns of a table, by the first value that each has. */
function columnsOf(rows: readonly Row[], toLngLatOf: () => ToLngLat | undefined): readonly Column[] {
  const titles = Object.keys(rows[0]!);
  const columns: Column[] = [];
  for (const title of titles) {
    const sample = rows.find((row) => row[title] !== null && row[title] !== undefined)?.[title];
    // Positions in columns of their own are what the writer meant.
    if (pointOf(sample) !== undefined && !titles.includes('lat') && !titles.includes('lng')) {
      const toLngLat = toLngLatOf();
      const position = (row: Row, axis: 0 | 1): string => {
        const point = pointOf(row[title]);
        if (point === undefined || toLngLat === undefined) return String(point?.[axis] ?? '');
        return String(toLngLat(...point)[axis]);
      };
      columns.push({ title: 'lng', text: (row) => position(row, 0) });
      columns.push({ title: 'lat', text: (row) => position(row, 1) });
    } else if (typeof sample !== 'object' || sample instanceof Date) {
      const isTime = title === PANDAS_INDEX && sample instanceof Date && !titles.includes('time');
      columns.push({ title: isTime ? 'time' : title, text: (row) => textOf(row[title]) });
    }
  }
  return columns;
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString(); // throws for a time that is none
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
    ? String(value)
    : '';
}

/** The position of a GeoJSON point, into which the geometries of GeoParquet are decoded. */
function pointOf(value: unknown): readonly [lng: number, lat: number] | undefined {
  const { type, coordinates } = (value ?? {}) as { readonly type?: unknown; readonly coordinates?: unknown };
  if (type !== 'Point' || !Array.isArray(coordinates)) return undefined;
  const [lng, lat] = coordinates as unknown[];
  return typeof lng === 'number' && typeof lat === 'number' ? [lng, lat] : undefined;
}

function quoted(text: string): string {
  const line = text.replace(/[\r\n]+/g, ' ');
  return /[",]/.test(line) ? `"${line.replaceAll('"', '""')}"` : line;
}

async function bufferOf(file: FileHandle): Promise<AsyncBuffer> {
  const { size } = await file.stat();
  return {
    byteLength: size,
    slice: (from, to = size) => {
      const read = async (): Promise<ArrayBuffer> => {
        const bytes = new Uint8Array(Math.max(0, Math.min(to, size) - from));
        await file.read(bytes, 0, bytes.length, from);
        return bytes.buffer;
      };
      const piece = read();
      // Pieces are asked for ahead, and after one that fails nobody waits for the others: theirs would end the process.
      piece.catch(() => undefined);
      return piece;
    },
  };
}

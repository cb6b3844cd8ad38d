import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { AsyncReadable } from 'zarrita';
import { InvalidInput } from '../../base/errors.ts';
import type { ArrayFile, ArrayType, ArrayVariable } from '../arrays/array-file.ts';
import { ChunkedFile, type StoredArray } from '../arrays/chunked-file.ts';
import { readBox } from './box.ts';

const MOST_FOLDERS = 20_000; // maximum number of groups and arrays
const MOST_DEPTH = 8; // maximum depth of groups
const MOST_CHUNK_BYTES = 2 ** 29; // maximum size of a chunk after unpacking
const MOST_DOCUMENT = 2 ** 24; // maximum size of a metadata document [bytes]
/** Documents that mark a folder as Zarr, of version 2 and 3. */
const DOCUMENTS = ['zarr.json', '.zarray', '.zgroup'] as const;

type Json = Readonly<Record<string, unknown>>;

/** Whether a folder is a Zarr group or array. */
export async function isZarr(folder: string): Promise<boolean> {
  const found = await Promise.all(
    DOCUMENTS.map((name) =>
      stat(join(folder, name)).then(
        (one) => one.isFile(),
        () => false,
      ),
    ),
  );
  return found.includes(true);
}

/**
 * Opens a folder of Zarr, version 2 or 3.
 * @throws InvalidInput when it has no arrays, or its metadata cannot be read
 * @see https://zarr-specs.readthedocs.io
 */
export async function openZarr(folder: string): Promise<ArrayFile> {
  const name = basename(folder);
  const arrays: StoredArray[] = [];
  for await (const [path, document] of documents(folder, '', 0)) {
    if (arrays.length >= MOST_FOLDERS) throw new InvalidInput(`${name} has more than ${MOST_FOLDERS} arrays`);
    const stored = storedOf(folder, path, document);
    if (stored !== undefined) arrays.push(stored);
  }
  if (arrays.length === 0)
    throw new InvalidInput(`${name}: expected arrays of numbers in a Zarr folder, found none`);
  return new ChunkedFile(name, 'Zarr', arrays, async () => undefined);
}

/** A hash of all files of a folder with their names. */
export async function zarrDigest(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .toSorted();
  for (const path of paths)
    hash
      .update(path.slice(folder.length))
      .update('\0')
      .update(await readFile(path));
  return hash.digest('hex');
}

/** The metadata of the arrays in a folder and its subfolders, by path. */
async function* documents(
  folder: string,
  path: string,
  depth: number,
): AsyncGenerator<readonly [path: string, document: Json]> {
  const own = join(folder, path);
  const second = await document(join(own, '.zarray'));
  const third = await document(join(own, 'zarr.json'));
  if (second !== undefined)
    yield [path, { ...second, attributes: (await document(join(own, '.zattrs'))) ?? {} }];
  else if (third?.['node_type'] === 'array') yield [path, third];
  else if (depth < MOST_DEPTH)
    for (const entry of await readdir(own, { withFileTypes: true }))
      if (entry.isDirectory())
        yield* documents(folder, path === '' ? entry.name : `${path}/${entry.name}`, depth + 1);
}

/** @throws InvalidInput when the document is not JSON */
async function document(path: string): Promise<Json | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) return undefined;
  try {
    if (found.size > MOST_DOCUMENT) throw new RangeError(`it has ${found.size} bytes`);
    const json: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof json === 'object' && json !== null) return { ...json };
    throw new RangeError('it is no object');
  } catch (error) {
    throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

const TYPES: Readonly<Record<string, ArrayType>> = {
  i1: 'byte',
  u1: 'ubyte',
  i2: 'short',
  u2: 'ushort',
  i4: 'int',
  u4: 'uint',
  i8: 'int64',
  u8: 'uint64',
  f4: 'float',
  f8: 'double',
  int8: 'byte',
  uint8: 'ubyte',
  int16: 'short',
  uint16: 'ushort',
  int32: 'int',
  uint32: 'uint',
  int64: 'int64',
  uint64: 'uint64',
  float32: 'float',
  float64: 'double',
};
const TYPE_BYTES = {
  byte: 1,
  ubyte: 1,
  short: 2,
  ushort: 2,
  int: 4,
  uint: 4,
  float: 4,
  int64: 8,
  uint64: 8,
  double: 8,
  char: 1,
  string: 1,
};

/** An array of numbers; undefined for one of other values. @throws InvalidInput when its metadata make no sense */
function storedOf(folder: string, path: string, metadata: Json): StoredArray | undefined {
  const name = path === '' ? basename(folder).replace(/\.zarr$/, '') : path;
  const kind = metadata['dtype'] ?? metadata['data_type'];
  const type = typeof kind === 'string' ? TYPES[kind.replace(/^[<>|]/, '')] : undefined;
  if (type === undefined) return undefined;
  const grid = (metadata['chunk_grid'] as Json | undefined)?.['configuration'] as Json | undefined;
  const [shape, chunks] = [metadata['shape'], metadata['chunks'] ?? grid?.['chunk_shape']].map((sizes) =>
    Array.isArray(sizes) && sizes.every((size) => Number.isSafeInteger(size) && size >= 0)
      ? (sizes as number[])
      : undefined,
  );
  if (shape === undefined || chunks === undefined || chunks.length !== shape.length || chunks.includes(0))
    throw new InvalidInput(`${basename(folder)}/${path}: expected a shape and chunks of as many numbers`);
  const bytes = chunks.reduce((product, size) => product * size, TYPE_BYTES[type]);
  if (bytes > MOST_CHUNK_BYTES)
    throw new InvalidInput(
      `${basename(folder)}/${path}: expected chunks of at most ${MOST_CHUNK_BYTES} bytes, got ${chunks.join(' x ')}`,
    );
  const attributes = attributesOf(metadata, type);
  const dimensions = metadata['dimension_names'] ?? (metadata['attributes'] as Json)['_ARRAY_DIMENSIONS'];
  const folderOf = path.includes('/') ? `${path.slice(0, path.lastIndexOf('/'))}/` : '';
  const variable: ArrayVariable = {
    name,
    type,
    attributes,
    dimensions: shape.map((size, i) => {
      const title: unknown = Array.isArray(dimensions) ? dimensions[i] : undefined;
      return { name: typeof title === 'string' ? `${folderOf}${title}` : `${name}[${i}]`, size };
    }),
  };
  let opened: ReturnType<typeof openArray> | undefined;
  return {
    variable,
    rowsPerChunk: (innerChunks(metadata) ?? chunks)[0] ?? 1,
    read: async (ranges) => {
      const array = await (opened ??= openArray(join(folder, path)));
      return readBox((at) => array.getChunk(at), shape, array.chunks, ranges); // within a shard, its own chunks
    },
    readTexts: async () => [],
  };
}

/** Shape of the chunks within a shard; undefined: there are no shards. */
function innerChunks({ codecs }: Json): readonly number[] | undefined {
  const sharding = Array.isArray(codecs)
    ? (codecs as readonly Json[]).find((codec) => codec['name'] === 'sharding_indexed')
    : undefined;
  const shape = (sharding?.['configuration'] as Json | undefined)?.['chunk_shape'];
  return Array.isArray(shape) && shape.every((size) => Number.isSafeInteger(size) && size > 0)
    ? (shape as number[])
    : undefined;
}

/** Opens an array by the library: 2 MB with its decoders, loaded at the first read. */
async function openArray(folder: string) {
  const zarr = await import('zarrita');
  const get = async (key: string): Promise<Uint8Array | undefined> => {
    if (key.split('/').includes('..')) return undefined;
    try {
      return await readFile(join(folder, key));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // a chunk of fill values
      throw error;
    }
  };
  const getRange: NonNullable<AsyncReadable['getRange']> = async (key, range) => {
    const whole = await get(key);
    if (whole === undefined) return undefined;
    if ('suffixLength' in range) return whole.subarray(Math.max(0, whole.length - range.suffixLength));
    return whole.subarray(range.offset, range.offset + range.length);
  };
  return zarr.open({ get, getRange }, { kind: 'array' });
}

function attributesOf(metadata: Json, type: ArrayType): ArrayVariable['attributes'] {
  const read = new Map<string, string | readonly number[]>();
  const { attributes } = metadata;
  for (const [name, value] of Object.entries((attributes ?? {}) as Json)) {
    if (name === '_FillValue' && typeof value === 'string') {
      const fill = encodedFill(value, type);
      if (fill !== undefined) read.set(name, [fill]);
    } else if (typeof value === 'string') read.set(name, value);
    else if (typeof value === 'number') read.set(name, [value]);
    else if (Array.isArray(value) && value.every((one) => typeof one === 'number')) read.set(name, value);
    else if (name === '_CRS') {
      // GDAL keeps the reference system of an array beside it, not in a variable of its own.
      const { wkt } = (value ?? {}) as Json;
      if (typeof wkt === 'string') read.set('crs_wkt', wkt);
    }
  }
  // In version 2 the fill value of an array is that of its missing values (as xarray reads it).
  const fill = metadata['zarr_format'] === 2 ? metadata['fill_value'] : undefined;
  if (typeof fill === 'number' && !read.has('_FillValue')) read.set('_FillValue', [fill]);
  return read;
}

/** A fill value as xarray writes it in version 3: the bytes of the number, little-endian, in base64; or its name. */
function encodedFill(text: string, type: ArrayType): number | undefined {
  if (/^-?(NaN|Infinity)$/.test(text)) return Number(text);
  const bytes = Buffer.from(text, 'base64');
  if (type === 'double' && bytes.length === 8) return bytes.readDoubleLE(0);
  // xarray writes the fill value of single precision as a double.
  return type === 'float' && bytes.length === 8
    ? bytes.readDoubleLE(0)
    : type === 'float' && bytes.length === 4
      ? bytes.readFloatLE(0)
      : undefined;
}

import type { RangeQuery } from 'zarrita';
import { InvalidInput } from '../../base/errors.ts';
import type { ArrayFile, ArrayType, ArrayVariable } from '../arrays/array-file.ts';
import { ChunkedFile, type StoredArray } from '../arrays/chunked-file.ts';
import { readBox } from './box.ts';
import type { Json, ZarrStore } from './store.ts';

const MOST_ARRAYS = 20_000; // maximum number of arrays
const MOST_CHUNK_BYTES = 2 ** 29; // maximum size of a chunk after unpacking

/**
 * Opens Zarr, version 2 or 3.
 * @throws InvalidInput when it has no arrays, or its metadata cannot be read
 * @see https://zarr-specs.readthedocs.io
 */
export async function openZarr(store: ZarrStore): Promise<ArrayFile> {
  const { name } = store;
  const arrays: StoredArray[] = [];
  for await (const [path, document] of store.documents()) {
    if (arrays.length >= MOST_ARRAYS) throw new InvalidInput(`${name} has more than ${MOST_ARRAYS} arrays`);
    const stored = storedOf(store, path, document);
    if (stored !== undefined) arrays.push(stored);
  }
  if (arrays.length === 0) throw new InvalidInput(`${name}: expected arrays of numbers in Zarr, found none`);
  const attributes = attributesOf({ attributes: await store.attributes() }, 'string');
  return new ChunkedFile(name, 'Zarr', arrays, async () => undefined, attributes);
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
  f2: 'float', // half precision
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
  float16: 'float',
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
function storedOf(store: ZarrStore, path: string, metadata: Json): StoredArray | undefined {
  const name = path === '' ? store.name.replace(/\.zarr$/, '') : path;
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
    throw new InvalidInput(`${store.name}/${path}: expected a shape and chunks of as many numbers`);
  const bytes = chunks.reduce((product, size) => product * size, TYPE_BYTES[type]);
  if (bytes > MOST_CHUNK_BYTES)
    throw new InvalidInput(
      `${store.name}/${path}: expected chunks of at most ${MOST_CHUNK_BYTES} bytes, got ${chunks.join(' x ')}`,
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
      const array = await (opened ??= openArray(store, path));
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
async function openArray(store: ZarrStore, path: string) {
  const zarr = await import('zarrita');
  const at = (key: string): string => `${path}${path === '' ? key.slice(1) : key}`;
  return zarr.open(
    {
      get: (key: string) => store.get(at(key)),
      getRange: (key: string, range: RangeQuery) => store.getRange(at(key), range),
    },
    { kind: 'array' },
  );
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

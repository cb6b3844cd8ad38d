import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import type { Attribute, Dataset, File as H5File, Group } from 'h5wasm';
import { InvalidInput } from '../../base/errors.ts';
import type { ArrayFile, ArrayType, ArrayVariable } from '../arrays/array-file.ts';
import { ChunkedFile, numbers, type StoredArray } from '../arrays/chunked-file.ts';

const MAGIC = '\x89HDF\r\n\x1a\n';
const MOST_OBJECTS = 20_000; // maximum number of groups and datasets of a file
const MOST_DEPTH = 8; // maximum depth of groups
const MOST_DIMENSIONS = 32;
const MOST_SIZE = 2 ** 40; // maximum length of a dimension
const MOST_ATTRIBUTE = 4096; // maximum number of values of an attribute that is read
/** Attributes that describe the structure, which is read by other means. */
const STRUCTURE =
  /^(DIMENSION_LIST|REFERENCE_LIST|CLASS|NAME|_Netcdf4Dimid|_Netcdf4Coordinates|_NCProperties)$/;

/** Whether the first bytes of a file are those of HDF5, and so of NetCDF-4. */
export function isHdf5(head: Uint8Array): boolean {
  return Buffer.from(head).toString('latin1', 0, 8) === MAGIC;
}

let names = 0;

/** The HDF5 library: 4 MB, loaded at the first file in .2 s. It sees the file that is opened, and no other. */
async function library() {
  const module = await import('h5wasm');
  const loaded = await module.default.ready;
  loaded.activate_throwing_error_handler(); // errors are thrown, not printed
  return { module, FS: loaded.FS as unknown as MemoryFiles };
}

/** The part of the library's file system, in memory, that is used here. */
interface MemoryFiles {
  createFile(folder: string, name: string, properties: object, canRead: boolean, canWrite: boolean): FileNode;
  unlink(path: string): void;
}
interface FileNode {
  stream_ops: Readonly<Record<string, unknown>>;
}

/**
 * Opens an HDF5 file, such as NetCDF-4. Links to other files lead nowhere.
 * @throws InvalidInput when the file cannot be read or is damaged
 * @see https://docs.hdfgroup.org/hdf5/develop/_f_m_t3.html
 */
export async function openHdf5(path: string): Promise<ArrayFile> {
  const name = basename(path);
  const { module, FS } = await library();
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  const own = `file${++names}.h5`;
  const { size } = fstatSync(file);
  const node = FS.createFile('/', own, {}, true, false);
  Object.defineProperty(node, 'usedBytes', { get: () => size });
  node.stream_ops = {
    ...node.stream_ops,
    read: (_: unknown, into: Uint8Array, at: number, length: number, position: number) =>
      readSync(file, into, at, Math.max(0, Math.min(length, size - position)), position),
  };
  let opened: H5File | undefined;
  const close = async (): Promise<void> => {
    try {
      opened?.close();
      FS.unlink(`/${own}`);
    } finally {
      closeSync(file);
    }
  };
  try {
    opened = new module.File(`/${own}`, 'r');
    if (!(opened.file_id > 0n)) throw new RangeError('it is damaged or cut short');
    const arrays: StoredArray[] = [];
    collect(module, opened, '', 0, arrays);
    return new ChunkedFile(name, 'HDF5', arrays, close, attributesOf(opened));
  } catch (error) {
    await close();
    if (error instanceof InvalidInput) throw error;
    throw new InvalidInput(`${name} cannot be read as HDF5: ${reasonOf(error)}`, {
      param: 'file',
      cause: error,
    });
  }
}

/** The innermost message of the library's trace, which it prints with files and lines of its own. */
function reasonOf(error: unknown): string {
  const { message } = error as Error;
  const cut = /truncated file: eof = (\d+).*stored_eof = (\d+)/.exec(message);
  if (cut !== null) return `it is cut short: it has ${cut[1]} of ${cut[2]} bytes`;
  // The library looks for plug-ins in a folder of the machine on which it was built.
  if (/can't open directory|plugin|required filter/i.test(message))
    return 'it is packed by a filter that is a plug-in (such as LZF, Blosc or ZSTD); write it again with gzip, for example with h5repack -f GZIP=4 IN OUT where that filter is installed';
  const innermost = [...message.matchAll(/^ *#\d+: .* in \w+\(\): (.*)$/gm)].at(-1)?.[1];
  return innermost === undefined ? message : `it is damaged (${innermost})`;
}

type Module = Awaited<ReturnType<typeof library>>['module'];

/** Collects the datasets of a group and its subgroups. Names are paths without the first slash. */
function collect(module: Module, group: Group, path: string, depth: number, into: StoredArray[]): void {
  for (const key of group.keys()) {
    if (into.length > MOST_OBJECTS) throw new RangeError(`it has more than ${MOST_OBJECTS} datasets`);
    const title = path === '' ? key : `${path}/${key}`;
    const one = group.get(key);
    if (one instanceof module.Group) {
      if (depth < MOST_DEPTH) collect(module, one, title, depth + 1, into);
    } else if (one instanceof module.Dataset) {
      const stored = storedOf(one, title);
      if (stored !== undefined) into.push(stored);
    }
  }
}

/** A dataset of numbers or strings; undefined for one of other values. */
function storedOf(dataset: Dataset, name: string): StoredArray | undefined {
  const { metadata } = dataset;
  const { shape, chunks, virtual_sources: sources } = metadata;
  const type = typeOf(metadata);
  const isSound = (size: number): boolean => Number.isSafeInteger(size) && size >= 0 && size <= MOST_SIZE;
  if (type === undefined || shape === null || shape.length > MOST_DIMENSIONS || !shape.every(isSound))
    return undefined;
  if (sources !== undefined && sources.length > 0) return undefined; // its values are in other files
  const variable: ArrayVariable = {
    name,
    type,
    dimensions: shape.map((size, i) => ({ name: dimensionName(dataset, i, name, shape.length), size })),
    attributes: attributesOf(dataset),
  };
  return {
    variable,
    rowsPerChunk: Math.max(1, chunks?.[0] ?? 1),
    read: async (ranges) => {
      const found = plainly(() =>
        ranges.length === 0 ? dataset.value : dataset.slice(ranges.map(([from, to]) => [from, to])),
      );
      if (typeof found === 'number' || typeof found === 'bigint') return numbers([found]);
      if (isNumbers(found)) return numbers(found);
      throw new RangeError('its values are not numbers');
    },
    readTexts: async () => {
      const value = plainly(() => dataset.value);
      const texts = Array.isArray(value) ? value : [value];
      return texts.map((text) => (typeof text === 'string' ? text.replace(/\0.*$/su, '').trim() : ''));
    },
  };
}

/** Runs a read of the library. @throws RangeError with its innermost message */
function plainly<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new RangeError(reasonOf(error), { cause: error });
  }
}

/** Classes of types of HDF5 (H5T_class_t). */
const INTEGER = 0;
const FLOAT = 1;
const STRING = 3;
const ENUM = 8;

function typeOf({ type, size, signed }: Dataset['metadata']): ArrayType | undefined {
  if (type === STRING) return 'string';
  if (type === FLOAT) return size === 8 ? 'double' : size <= 4 ? 'float' : undefined;
  if (type !== INTEGER && type !== ENUM) return undefined;
  const [whole, unsigned] =
    ({ 1: ['byte', 'ubyte'], 2: ['short', 'ushort'], 4: ['int', 'uint'], 8: ['int64', 'uint64'] } as const)[
      size as 1
    ] ?? [];
  return signed ? whole : unsigned;
}

/** Name of a dimension: of the scale that is attached to it, or of the dataset itself where that is the scale. */
function dimensionName(dataset: Dataset, index: number, name: string, rank: number): string {
  const [scale] = dataset.get_attached_scales(index);
  if (scale !== undefined) return scale.replace(/^\//, '');
  if (rank === 1 && dataset.attrs['CLASS']?.value === 'DIMENSION_SCALE') return name;
  return dataset.get_dimension_labels()[index] ?? `${name}[${index}]`;
}

function attributesOf({ attrs }: Pick<Dataset, 'attrs'>): ArrayVariable['attributes'] {
  const read = new Map<string, string | readonly number[]>();
  for (const [name, attribute] of Object.entries(attrs)) {
    if (STRUCTURE.test(name)) continue;
    const value = attributeValue(attribute);
    if (value !== undefined) read.set(name, value);
  }
  return read;
}

function attributeValue(attribute: Attribute): string | readonly number[] | undefined {
  const count = (attribute.shape ?? []).reduce((product, size) => product * size, 1);
  if (count > MOST_ATTRIBUTE) return undefined;
  const { value } = attribute;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return [Number(value)];
  if (Array.isArray(value))
    return value.every((one) => typeof one === 'string') ? value.join(' ') : undefined;
  return isNumbers(value) ? [...numbers(value)] : undefined;
}

function isNumbers(value: unknown): value is ArrayLike<number | bigint> {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import { asObject, type Json, MOST_DEPTH, MOST_DOCUMENT, type ZarrStore } from './store.ts';

/** Documents that mark a folder as Zarr, of version 2 and 3. */
const DOCUMENTS = ['zarr.json', '.zarray', '.zgroup'] as const;

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

/** A Zarr group or array in a folder. */
export function folderStore(folder: string): ZarrStore {
  const get = async (path: string): Promise<Uint8Array | undefined> => {
    if (path.split('/').includes('..')) return undefined;
    try {
      return await readFile(join(folder, path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // a chunk of fill values
      throw error;
    }
  };
  return {
    name: basename(folder),
    documents: () => documents(folder, '', 0),
    async attributes() {
      const third = (await document(join(folder, 'zarr.json')))?.['attributes'];
      return asObject(third) ?? (await document(join(folder, '.zattrs'))) ?? {};
    },
    get,
    async getRange(path, range) {
      const whole = await get(path);
      if (whole === undefined) return undefined;
      if ('suffixLength' in range) return whole.subarray(Math.max(0, whole.length - range.suffixLength));
      return whole.subarray(range.offset, range.offset + range.length);
    },
  };
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

import { createHash } from 'node:crypto';
import { InvalidInput } from '../../base/errors.ts';
import { type GuardedReader, ReadFailed } from '../../net/guarded-reader.ts';
import { asObject, type Json, MOST_DOCUMENT, type ZarrStore } from './store.ts';

/** Maximum size of a chunk as it is stored [bytes]. */
const MOST_STORED_CHUNK = 2 ** 29;

/**
 * A Zarr group or array on a web server. The arrays of a group are those of its consolidated metadata, since a web
 * server does not list folders.
 * @param reader reads the files; each is one request
 * @param address https address of the group or array, optionally with a query, which every request gets
 * @param fail makes the errors that a caller of this service sees
 * @throws InvalidInput when there is no Zarr, or a group without consolidated metadata
 */
export async function remoteStore(
  reader: Pick<GuardedReader, 'read' | 'readPiece'>,
  address: string,
  fail: (error: unknown) => Error,
): Promise<ZarrStore> {
  const at = new URL(address);
  const folder = at.pathname.replace(/\/+$/, '');
  const name = decodeURIComponent(folder.slice(folder.lastIndexOf('/') + 1)) || at.host;
  const urlOf = (path: string): string => {
    const parts = path.split('/');
    if (parts.some((part) => part === '.' || part === '..'))
      throw new InvalidInput(`${name}: expected arrays below the group, got ${path.slice(0, 200)}`);
    return `${at.origin}${folder}/${parts.map(encodeURIComponent).join('/')}${at.search}`;
  };
  /** A file that is not there is undefined: in Zarr that is a chunk of fill values. */
  const found = async <T>(read: Promise<T>): Promise<T | undefined> => {
    try {
      return await read;
    } catch (error) {
      if (error instanceof ReadFailed && (error.status === 404 || error.status === 410)) return undefined;
      throw fail(error);
    }
  };
  const get = async (path: string, maxBytes = MOST_STORED_CHUNK): Promise<Buffer | undefined> =>
    (await found(reader.read({ url: urlOf(path), maxBytes })))?.bytes;
  const json = async (path: string): Promise<Json | undefined> => {
    const bytes = await get(path, MOST_DOCUMENT);
    return bytes === undefined ? undefined : parsed(bytes, `${name}/${path}`);
  };

  const { arrays, attributes = {} } = await nodesOf(json, name, address);
  const known = new Map<string, Buffer>();
  for (const [path, document] of arrays) {
    const folderOf = path === '' ? '' : `${path}/`;
    const isSecond = document['zarr_format'] === 2;
    known.set(`${folderOf}${isSecond ? '.zarray' : 'zarr.json'}`, Buffer.from(JSON.stringify(document)));
  }
  const sizes = new Map<string, number>();
  const piece = async (path: string, from: number, to: number): Promise<Buffer | undefined> => {
    const read = await found(reader.readPiece(urlOf(path), from, to));
    if (read === undefined) return undefined;
    if (sizes.get(path) !== undefined && sizes.get(path) !== read.size)
      throw new InvalidInput(`${name}/${path} changed while it was read`);
    sizes.set(path, read.size);
    if (read.bytes.length < Math.min(to, read.size) - from)
      throw new InvalidInput(`${name}/${path} is cut short: ${read.bytes.length} of ${to - from} bytes`);
    return read.bytes;
  };
  return {
    name,
    sha256: createHash('sha256')
      .update(JSON.stringify([`${at.origin}${folder}`, arrays]))
      .digest('hex'),
    async *documents() {
      yield* arrays;
    },
    attributes: async () => attributes,
    async get(path) {
      const document = known.get(path);
      if (document !== undefined) return document;
      // All metadata are known. Asking for others would cost a request each.
      return /(^|\/)(zarr\.json|\.z(array|attrs|group|metadata))$/.test(path) ? undefined : get(path);
    },
    async getRange(path, range) {
      if (!('suffixLength' in range)) return piece(path, range.offset, range.offset + range.length);
      if (sizes.get(path) === undefined && (await piece(path, 0, 1)) === undefined) return undefined;
      const size = sizes.get(path)!;
      return piece(path, Math.max(0, size - range.suffixLength), size);
    },
  };
}

/** The metadata of the arrays of a group with its attributes, or those of one array. */
interface Nodes {
  readonly arrays: readonly (readonly [path: string, document: Json])[];
  readonly attributes?: Json | undefined;
}

/** @throws InvalidInput when there is no Zarr, or a group without consolidated metadata */
async function nodesOf(
  json: (path: string) => Promise<Json | undefined>,
  name: string,
  address: string,
): Promise<Nodes> {
  const third = await json('zarr.json');
  if (third?.['node_type'] === 'array') return { arrays: [['', third]] };
  const inline = objectAt(objectAt(third, 'consolidated_metadata'), 'metadata');
  if (inline !== undefined)
    return {
      arrays: Object.entries(inline).flatMap(([path, document]) => {
        const node = asObject(document);
        return node?.['node_type'] === 'array' ? [[path, node] as const] : [];
      }),
      attributes: objectAt(third, 'attributes'),
    };
  const second = objectAt(await json('.zmetadata'), 'metadata');
  if (second !== undefined)
    return {
      arrays: Object.entries(second).flatMap(([path, document]) => {
        const [, folder] = /^(?:(.*)\/)?\.zarray$/.exec(path) ?? [];
        const node = asObject(document);
        if (!path.endsWith('.zarray') || node === undefined) return [];
        const attributes = asObject(second[folder === undefined ? '.zattrs' : `${folder}/.zattrs`]) ?? {};
        return [[folder ?? '', { ...node, attributes }] as const];
      }),
      attributes: asObject(second['.zattrs']),
    };
  const array = third === undefined ? await json('.zarray') : undefined;
  if (array !== undefined) return { arrays: [['', { ...array, attributes: (await json('.zattrs')) ?? {} }]] };
  const isGroup = third !== undefined || (await json('.zgroup')) !== undefined;
  throw new InvalidInput(
    isGroup
      ? `${name} is a group of Zarr without consolidated metadata, and web servers do not list folders; expected .zmetadata or zarr.json with them, as zarr.consolidate_metadata writes: ${address}`
      : `${address}: expected Zarr (zarr.json, .zmetadata or .zarray), found none; download other files first`,
  );
}

function objectAt(object: Json | undefined, member: string): Json | undefined {
  return asObject(object?.[member]);
}

function parsed(bytes: Buffer, what: string): Json {
  let json: Json | undefined;
  try {
    json = asObject(JSON.parse(bytes.toString('utf8')));
  } catch (cause) {
    throw new InvalidInput(`${what} cannot be read: ${(cause as Error).message}`, { cause });
  }
  if (json === undefined) throw new InvalidInput(`${what}: expected a JSON object`);
  return json;
}

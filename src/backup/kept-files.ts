import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { LOG_HEAD_BYTES } from '../cube/log-head.ts';
import { LOCK_TIMEOUT_MS, WRITER_LOCK, WriterLock } from '../cube/writer-lock.ts';
import { catalogueText } from '../sources/layers/installed-catalogue.ts';
import { folderLayers, type LayerHome } from '../sources/layers/layer-home.ts';
import type { TarEntry } from './tar.ts';

/** Files and folders of a data folder that are backed up, in addition to the database, the layers and the cubes. */
const KEPT = ['secret-key', 'demo-key', 'tls'];
const LAYERS = 'layers';
/** Lock files and temporary files, which are not backed up. */
const UNFINISHED = /\.lock|\.tmp$|\.state-part$/;
const CHUNK = 1024 * 1024; // size of one read [bytes]

/**
 * Reads the files of a data folder that are backed up, each in its current state.
 * @param wants whether to read a file or cube of this name, such as `cubes/col_1`
 * @param layers the installed layers; default: those of the data folder
 */
export async function* keptFiles(
  dataFolder: string,
  wants: (name: string) => boolean = () => true,
  layers: LayerHome = folderLayers(join(dataFolder, LAYERS)),
): AsyncGenerator<TarEntry> {
  for (const name of KEPT) if (wants(name)) yield* filesUnder(dataFolder, name);
  yield* layerFiles(layers);
  for (const cube of await namesIn(join(dataFolder, 'cubes'))) {
    if (cube.includes('.') || !wants(`cubes/${cube}`)) continue; // with a dot: the cube is being deleted
    yield* cubeFiles(dataFolder, `cubes/${cube}`);
  }
}

/**
 * Reads the installed layers in one consistent state. The shipped layers are left out: each start makes what is
 * missing. The files are opened while the catalogue does not change, and read later. A file that is removed from the
 * catalogue meanwhile is deleted at once, but can still be read, since it is open.
 */
async function* layerFiles(home: LayerHome): AsyncGenerator<TarEntry> {
  if (home.isEmpty()) return;
  const entries = await home.unchanged(async (layers) => {
    const text = Buffer.from(catalogueText(layers));
    const found: TarEntry[] = [
      { name: `data/${LAYERS}/catalogue.json`, size: text.length, mode: 0o600, content: one(text) },
    ];
    for (const file of layers.flatMap(({ pieces }) => pieces.map((piece) => piece.file))) {
      const handle = await open(join(home.folder.files, file)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
      // A missing file is skipped: the service runs without it too.
      if (handle !== undefined) found.push(await entryOf(`${LAYERS}/files/${file}`, handle));
    }
    return found;
  });
  yield* entries;
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function* filesUnder(root: string, path: string): AsyncGenerator<TarEntry> {
  if (UNFINISHED.test(path)) return;
  const full = join(root, path);
  const found = await stat(full).catch(() => undefined);
  if (found?.isDirectory()) {
    for (const name of await namesIn(full)) yield* filesUnder(root, `${path}/${name}`);
  } else if (found?.isFile()) {
    const file = await open(full).catch(() => undefined);
    if (file !== undefined) yield await entryOf(path, file);
  }
}

/**
 * Reads the files of a cube in one consistent state. They are opened under the writer's lock and read after its
 * release. Only the first page of a log, which contains its head, may be overwritten later, so it is read under the
 * lock. A writer may cut off the bytes after the acknowledged end of a log before they are read here. The copy then
 * contains zeros in their place.
 */
async function* cubeFiles(root: string, path: string): AsyncGenerator<TarEntry> {
  const folder = join(root, path);
  let lock: WriterLock;
  try {
    lock = await WriterLock.take(folder, WRITER_LOCK, LOCK_TIMEOUT_MS);
  } catch (error) {
    if ((await stat(folder).catch(() => undefined)) === undefined) return; // the cube was deleted
    throw error;
  }
  const entries: TarEntry[] = [];
  try {
    for (const name of await namesIn(folder)) {
      if (UNFINISHED.test(name)) continue;
      const file = await open(join(folder, name));
      const entry = await entryOf(`${path}/${name}`, file);
      const head = Buffer.alloc(Math.min(LOG_HEAD_BYTES, entry.size));
      await file.read({ buffer: head, position: 0 });
      entries.push({ ...entry, content: afterHead(head, file, entry.size) });
    }
  } finally {
    lock.release();
  }
  yield* entries;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return found.toSorted((a, b) => (a < b ? -1 : 1));
}

async function entryOf(name: string, file: FileHandle): Promise<TarEntry> {
  const { size, mode } = await file.stat();
  return { name: `data/${name}`, size, mode: mode & 0o777, content: contentOf(file, 0, size) };
}

async function* afterHead(head: Buffer, file: FileHandle, size: number): AsyncGenerator<Buffer> {
  yield head;
  let left = size - head.length;
  for await (const chunk of contentOf(file, head.length, size)) {
    yield chunk;
    left -= chunk.length;
  }
  if (left > 0) yield Buffer.alloc(left);
}

/** Reads bytes `[start, size)` of a file, then closes it. Bytes that are appended meanwhile are not read. */
async function* contentOf(file: FileHandle, start: number, size: number): AsyncGenerator<Buffer> {
  try {
    for (let at = start; at < size;) {
      const { bytesRead, buffer } = await file.read({
        buffer: Buffer.allocUnsafe(Math.min(CHUNK, size - at)),
        position: at,
      });
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

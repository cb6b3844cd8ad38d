import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { LOG_HEAD_BYTES } from '../cube/log-head.ts';
import { WRITER_LOCK, WriterLock } from '../cube/writer-lock.ts';
import { InstalledCatalogue } from '../sources/layers/installed-catalogue.ts';
import { layerFolder } from '../sources/layers/layer-folder.ts';
import type { TarEntry } from './tar.ts';

/** What a data folder holds besides the database and the cubes, and is kept. */
const KEPT = ['secret-key', 'demo-key', 'tls'];
const LAYERS = 'layers';
/** Locks, and drafts that get another name or none once they are written. */
const UNFINISHED = /\.lock|\.tmp$|\.state-part$/;
const LOCK_TIMEOUT_MS = 300_000; // for a writer of a cube to finish
const CHUNK = 1024 * 1024; // bytes read at once

/** Files of a data folder as they are now. */
export async function* keptFiles(dataFolder: string): AsyncGenerator<TarEntry> {
  for (const name of KEPT) yield* filesUnder(dataFolder, name);
  yield* layerFiles(dataFolder);
  for (const cube of await namesIn(join(dataFolder, 'cubes'))) {
    if (cube.includes('.')) continue; // it is being deleted
    yield* cubeFiles(dataFolder, `cubes/${cube}`);
  }
}

/**
 * The layers at one moment: the user's catalogue and what it names are taken in hand while nobody changes it, and read
 * after, since what it names no longer is deleted at once.
 */
async function* layerFiles(root: string): AsyncGenerator<TarEntry> {
  const folder = join(root, LAYERS);
  if ((await stat(folder).catch(() => undefined)) === undefined) return;
  const installed = layerFolder(folder);
  const inHand = async (path: string): Promise<TarEntry> =>
    entryOf(relative(root, path).replaceAll(sep, '/'), await open(path));
  const entries = await new InstalledCatalogue(installed.catalogue).unchanged(async (layers) => {
    const files = layers.flatMap(({ pieces }) => pieces.map(({ file }) => join(installed.files, file)));
    const found: TarEntry[] = [];
    for (const path of [installed.catalogue, ...files]) {
      const entry = await inHand(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
      if (entry !== undefined) found.push(entry); // what is missing here is served without it, too
    }
    return found;
  });
  yield* entries;
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    if (path !== installed.catalogue && path !== installed.files)
      yield* filesUnder(root, `${LAYERS}/${name}`);
  }
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
 * The files of a cube at one moment: taken in hand while no writer is at work, and read after. Of what was there then
 * only the head of a log is written over later, so that page is read at once; a log may lose what lies beyond its
 * acknowledged end, which zeros stand for.
 */
async function* cubeFiles(root: string, path: string): AsyncGenerator<TarEntry> {
  const folder = join(root, path);
  let lock: WriterLock;
  try {
    lock = await WriterLock.take(folder, WRITER_LOCK, LOCK_TIMEOUT_MS);
  } catch (error) {
    if ((await stat(folder).catch(() => undefined)) === undefined) return; // deleted meanwhile
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

/** A file's bytes from `start` to `size`, whatever is appended meanwhile; closes it. */
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

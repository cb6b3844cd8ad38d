import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsync,
  ftruncateSync,
  futimesSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { readdir, readFile, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { syncFolder } from '../base/durable-file.ts';
import type { SavedState, SavedStateWriter } from '../app/changes/search/saved-state.ts';
import { SharedFile } from './shared-file.ts';
import { DAY_MS } from '../base/time.ts';

/**
 * Name of the file with the saved state in a cube's folder. It contains the parts of the state, then an index of the
 * parts, then a tail with the length of the index.
 */
export const STATE_NAME = 'monitoring.state';
/** Suffix of a state file that is being written. */
export const PART_SUFFIX = '.state-part';
/**
 * Suffix of the journal beside a state file that is being written: a line with what the state is about, then a line per
 * part with its name, place and note. After a crash the next writer goes on from it.
 */
export const JOURNAL_SUFFIX = '.state-journal';
/** Interval at which a writer touches its file, and age from which its process is taken to be dead [ms]. */
const TOUCH_MS = 1_000;
export const DEAD_MS = 5_000;
/** Text that ends a complete file. The tail is the length of the index (u32), its CRC-32 (u32) and this text. */
const MAGIC = 'GWSTATE2';
const TAIL_BYTES = 16;
/** Maximum share of the free disk space that a state may take. */
export const ROOM_SHARE = 0.25;
const synced = promisify(fsync);
/** Age above which an unfinished file is taken to be a leftover of a crash [ms]. No run lasts longer than a day. */
const LEFT_MS = DAY_MS;

type Place = readonly [offset: number, length: number];

interface Index {
  readonly heading: string;
  readonly parts: Readonly<Record<string, Place>>;
}

/**
 * Opens the saved state in a cube's folder; undefined when it is missing or incomplete.
 * @param name name of its file
 */
export async function openStateFile(folder: string, name = STATE_NAME): Promise<SavedState | undefined> {
  let file: SharedFile;
  try {
    file = new SharedFile(join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  let index: Index | undefined;
  try {
    index = readIndex(file);
  } finally {
    if (index === undefined) file.release();
  }
  return (
    index && {
      heading: index.heading,
      async part(part) {
        const place = index.parts[part];
        if (place === undefined) throw new RangeError(`the saved state has no part ${part}`);
        return readBytes(file, ...place);
      },
      close: async () => file.release(),
    }
  );
}

/** A text that changes when another state is saved with the cube in a folder; undefined when none is there. */
export function stateStamp(folder: string): string | undefined {
  const found = statSync(join(folder, STATE_NAME), { throwIfNoEntry: false });
  return found && `${found.ino}:${found.size}:${found.mtimeMs}`;
}

/** Whether a folder has a state file that is being written, or was left so by a writer that was killed within `ms`. */
export async function hasPart(folder: string, ms: number): Promise<boolean> {
  for (const name of await readdir(folder))
    if (name.endsWith(PART_SUFFIX) && (await isYounger(join(folder, name), ms))) return true;
  return false;
}

/** Whether a file was written, or touched, less than `ms` ago; false for one that is not there. */
export async function isYounger(path: string, ms: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs < ms;
}

function readIndex(file: SharedFile): Index | undefined {
  const size = file.size();
  if (size < TAIL_BYTES) return undefined;
  const tail = Buffer.from(readBytes(file, size - TAIL_BYTES, TAIL_BYTES));
  const length = tail.readUInt32LE(0);
  if (tail.toString('latin1', 8) !== MAGIC || length > size - TAIL_BYTES) return undefined;
  const text = Buffer.from(readBytes(file, size - TAIL_BYTES - length, length));
  return crc32(text) === tail.readUInt32LE(4) ? (JSON.parse(text.toString()) as Index) : undefined;
}

function readBytes(file: SharedFile, offset: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  file.read(bytes, offset);
  return bytes;
}

/**
 * Starts to write a state into a cube's folder; see `SavedStateWriter`. Writes are synchronous, since the calling
 * thread has no other work at that time. They are not synchronised with the disk before the commit: parts have
 * checksums of their own.
 * @param unit name of the file, if it is the state of one unit of a search. Such a file is written anew after a crash
 */
export async function writeStateFile(
  folder: string,
  expectedBytes: number,
  about: string,
  unit?: string,
): Promise<SavedStateWriter> {
  await sweep(folder);
  const { bavail, bsize } = await statfs(folder);
  if (expectedBytes > ROOM_SHARE * bavail * bsize)
    throw Object.assign(
      new Error(`${folder}: a state of ${expectedBytes} bytes would take too much of the free disk space`),
      { code: 'ENOSPC' }, // a cache can make room
    );
  const name = unit === undefined ? randomUUID() : `${unit}.${randomUUID()}`;
  const [path, journalPath] = [join(folder, name + PART_SUFFIX), join(folder, name + JOURNAL_SUFFIX)];
  const left = unit === undefined ? await adopt(folder, about, name) : undefined;
  const file = openSync(path, left === undefined ? 'wx' : 'r+');
  const journal = unit === undefined ? openSync(journalPath, 'a') : undefined;
  const note = (line: unknown): void => {
    if (journal !== undefined) writeSync(journal, `${JSON.stringify(line)}\n`);
  };
  if (left === undefined) note(about);
  const parts: Record<string, Place> = {};
  for (const [part, { place }] of left?.parts ?? []) parts[part] = place;
  let end = left?.end ?? 0;
  let [isOpen, isOver] = [true, false];
  const touching = setInterval(() => futimesSync(file, new Date(), new Date()), TOUCH_MS).unref();
  const write = (bytes: Uint8Array): void => {
    for (let done = 0; done < bytes.byteLength;)
      done += writeSync(file, bytes, done, bytes.byteLength - done, end + done);
    end += bytes.byteLength;
  };
  const close = (): void => {
    clearInterval(touching);
    if (isOpen) for (const each of [file, journal]) if (each !== undefined) closeSync(each);
    isOpen = false;
  };
  const writeIndex = async (heading: string): Promise<void> => {
    const index = Buffer.from(JSON.stringify({ heading, parts } satisfies Index));
    const tail = Buffer.alloc(TAIL_BYTES);
    tail.writeUInt32LE(index.byteLength, 0);
    tail.writeUInt32LE(crc32(index), 4);
    tail.write(MAGIC, 8, 'latin1');
    write(index);
    write(tail);
    ftruncateSync(file, end);
    await synced(file); // the file is touched meanwhile
    close();
  };
  return {
    async add(part, bytes, noted) {
      const place: Place = [end, bytes.byteLength];
      write(bytes);
      parts[part] = place;
      note([part, place, ...(noted === undefined ? [] : [Buffer.from(noted).toString('base64')])]);
    },
    async kept(part) {
      const found = left?.parts.get(part);
      if (found === undefined) return undefined;
      const bytes = new Uint8Array(found.place[1]);
      if (readSync(file, bytes, 0, bytes.byteLength, found.place[0]) < bytes.byteLength) return undefined;
      const { note } = found;
      return { bytes, note: note === undefined ? undefined : Uint8Array.from(Buffer.from(note, 'base64')) };
    },
    // It may be called again when the disk was full.
    async commit(heading) {
      if (isOpen) await writeIndex(heading);
      if (!isOver) await rename(path, join(folder, unit ?? STATE_NAME));
      isOver = true;
      await rm(journalPath, { force: true });
      await syncFolder(folder);
    },
    async discard() {
      if (isOver) return;
      isOver = true;
      close();
      for (const each of [path, journalPath]) await rm(each, { force: true });
    },
  };
}

/** What a process that died has left of a state. */
interface LeftState {
  readonly parts: ReadonlyMap<string, { readonly place: Place; readonly note: string | undefined }>;
  /** End of the last part. */
  readonly end: number;
}

/**
 * Takes over the files of a writer that died, under a new name. The first of several processes gets them. If the writer
 * is only slow, both write to one file; then checksums of parts fail, and the state is computed again.
 */
async function adopt(folder: string, about: string, name: string): Promise<LeftState | undefined> {
  for (const each of await readdir(folder)) {
    if (!each.endsWith(JOURNAL_SUFFIX)) continue;
    const former = each.slice(0, -JOURNAL_SUFFIX.length);
    try {
      const { mtimeMs, size } = await stat(join(folder, former + PART_SUFFIX));
      if (Date.now() - mtimeMs < DEAD_MS) continue;
      const left = readJournal(await readFile(join(folder, each), 'utf8'), about, size);
      if (left === undefined) continue;
      await rename(join(folder, each), join(folder, name + JOURNAL_SUFFIX));
      await rename(join(folder, former + PART_SUFFIX), join(folder, name + PART_SUFFIX));
      return left;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error; // another process was faster
    }
  }
  return undefined;
}

/**
 * Reads a journal up to the first line that is not whole, or whose part is not. Returns undefined when it is about
 * another state.
 */
function readJournal(text: string, about: string, size: number): LeftState | undefined {
  const lines = text.split('\n').slice(0, -1);
  const parts = new Map<string, { readonly place: Place; readonly note: string | undefined }>();
  let end = 0;
  try {
    if (JSON.parse(lines[0] ?? 'null') !== about) return undefined;
    for (const line of lines.slice(1)) {
      const [part, place, note] = JSON.parse(line) as readonly [string, Place, string?];
      if (place[0] + place[1] > size) break;
      parts.set(part, { place, note });
      end = Math.max(end, place[0] + place[1]);
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { parts, end };
}

/** Deletes unfinished files of crashed writers. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(PART_SUFFIX) && !name.endsWith(JOURNAL_SUFFIX)) continue;
    const path = join(folder, name);
    const left = await stat(path).catch(() => undefined); // another process may have deleted it
    if (left !== undefined && Date.now() - left.mtimeMs > LEFT_MS) await rm(path, { force: true });
  }
}

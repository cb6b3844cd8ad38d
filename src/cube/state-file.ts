import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncFolder } from '../base/durable-file.ts';
import type { SavedState, SavedStateWriter } from '../app/changes/search/saved-state.ts';
import { SharedFile } from './shared-file.ts';
import { DAY_MS } from '../base/time.ts';

/**
 * Name of the file with the saved state in a cube's folder. It contains the parts of the state, then an index of the
 * parts, then a tail with the length of the index.
 */
const STATE_NAME = 'monitoring.state';
/** Suffix of a state file that is being written. */
const PART_SUFFIX = '.state-part';
/** Text that ends a complete file. The tail is the length of the index (u32), its CRC-32 (u32) and this text. */
const MAGIC = 'GWSTATE2';
const TAIL_BYTES = 16;
/** Maximum share of the free disk space that a state may take. */
const ROOM_SHARE = 0.25;
/** Age above which an unfinished file is taken to be a leftover of a crash [ms]. No run lasts longer than a day. */
const LEFT_MS = DAY_MS;

type Place = readonly [offset: number, length: number];

interface Index {
  readonly heading: string;
  readonly parts: Readonly<Record<string, Place>>;
}

/** Opens the saved state in a cube's folder; undefined when it is missing or incomplete. */
export async function openStateFile(folder: string): Promise<SavedState | undefined> {
  let file: SharedFile;
  try {
    file = new SharedFile(join(folder, STATE_NAME));
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
      async part(name) {
        const place = index.parts[name];
        if (place === undefined) throw new RangeError(`the saved state has no part ${name}`);
        return readBytes(file, ...place);
      },
      close: async () => file.release(),
    }
  );
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
 * thread has no other work at that time.
 */
export async function writeStateFile(folder: string, expectedBytes: number): Promise<SavedStateWriter> {
  await sweep(folder);
  const { bavail, bsize } = await statfs(folder);
  if (expectedBytes > ROOM_SHARE * bavail * bsize)
    throw new Error(
      `${folder}: a state of ${expectedBytes} bytes would take too much of the free disk space`,
    );
  const path = join(folder, `${randomUUID()}${PART_SUFFIX}`);
  const file = openSync(path, 'wx');
  const parts: Record<string, Place> = {};
  let end = 0;
  let [isOpen, isOver] = [true, false];
  const write = (bytes: Uint8Array): void => {
    for (let done = 0; done < bytes.byteLength;)
      done += writeSync(file, bytes, done, bytes.byteLength - done, end + done);
    end += bytes.byteLength;
  };
  const close = (): void => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  return {
    async add(name, bytes) {
      parts[name] = [end, bytes.byteLength];
      write(bytes);
    },
    async commit(heading) {
      const index = Buffer.from(JSON.stringify({ heading, parts } satisfies Index));
      const tail = Buffer.alloc(TAIL_BYTES);
      tail.writeUInt32LE(index.byteLength, 0);
      tail.writeUInt32LE(crc32(index), 4);
      tail.write(MAGIC, 8, 'latin1');
      write(index);
      write(tail);
      fsyncSync(file);
      close();
      await rename(path, join(folder, STATE_NAME));
      isOver = true;
      await syncFolder(folder);
    },
    async discard() {
      if (isOver) return;
      isOver = true;
      close();
      await rm(path, { force: true });
    },
  };
}

/** Deletes unfinished files of crashed writers. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(PART_SUFFIX)) continue;
    const path = join(folder, name);
    const left = await stat(path).catch(() => undefined); // another process may have deleted it
    if (left !== undefined && Date.now() - left.mtimeMs > LEFT_MS) await rm(path, { force: true });
  }
}

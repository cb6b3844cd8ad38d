import { randomUUID } from 'node:crypto';
import { open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { SavedState, StateWriter } from '../app/saved-state.ts';
import { syncFolder, writeFully } from './durable-file.ts';

/** The state beside a cube: parts one after the other, then an index of them and a tail that says where it lies. */
const STATE_NAME = 'monitoring.state';
/** Ends the name of a state that is being written. */
const PART_SUFFIX = '.state-part';
/** Ends a whole file: length of the index (u32), its CRC-32 (u32) and this. */
const MAGIC = 'GWSTATE2';
const TAIL_BYTES = 16;
/** Share of the free room on the disk that a state may take. */
const ROOM_SHARE = 0.25;
/** Age from which an unfinished file was left by a crash [ms]: no run lasts for a day. */
const LEFT_MS = 86_400_000;

type Place = readonly [offset: number, length: number];

interface Index {
  readonly heading: string;
  readonly parts: Readonly<Record<string, Place>>;
}

/** Opens the state in a cube's folder; undefined where there is none that was written whole. */
export async function openStateFile(folder: string): Promise<SavedState | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(join(folder, STATE_NAME), 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const index = await readIndex(handle);
  if (index === undefined) {
    await handle.close();
    return undefined;
  }
  return {
    heading: index.heading,
    async part(name) {
      const place = index.parts[name];
      if (place === undefined) throw new RangeError(`the saved state has no part ${name}`);
      return await readBytes(handle, ...place);
    },
    close: () => handle.close(),
  };
}

async function readIndex(handle: FileHandle): Promise<Index | undefined> {
  const { size } = await handle.stat();
  if (size < TAIL_BYTES) return undefined;
  const tail = Buffer.from(await readBytes(handle, size - TAIL_BYTES, TAIL_BYTES));
  const length = tail.readUInt32LE(0);
  if (tail.toString('latin1', 8) !== MAGIC || length > size - TAIL_BYTES) return undefined;
  const text = Buffer.from(await readBytes(handle, size - TAIL_BYTES - length, length));
  return crc32(text) === tail.readUInt32LE(4) ? (JSON.parse(text.toString()) as Index) : undefined;
}

async function readBytes(
  handle: FileHandle,
  offset: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length;) {
    const { bytesRead } = await handle.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) throw new RangeError('the saved state ends before its parts');
    done += bytesRead;
  }
  return bytes;
}

/** Begins to write a state into a cube's folder; see `StateWriter`. */
export async function writeStateFile(folder: string, expectedBytes: number): Promise<StateWriter> {
  await sweep(folder);
  const { bavail, bsize } = await statfs(folder);
  if (expectedBytes > ROOM_SHARE * bavail * bsize)
    throw new Error(
      `${folder}: a state of ${expectedBytes} bytes would take too much of the room that is left`,
    );
  const path = join(folder, `${randomUUID()}${PART_SUFFIX}`);
  const handle = await open(path, 'wx');
  const parts: Record<string, Place> = {};
  let end = 0;
  let isOver = false;
  return {
    async add(name, bytes) {
      parts[name] = [end, bytes.byteLength];
      end = await writeFully(handle, [bytes], end);
    },
    async commit(heading) {
      const index = Buffer.from(JSON.stringify({ heading, parts } satisfies Index));
      const tail = Buffer.alloc(TAIL_BYTES);
      tail.writeUInt32LE(index.byteLength, 0);
      tail.writeUInt32LE(crc32(index), 4);
      tail.write(MAGIC, 8, 'latin1');
      await writeFully(handle, [index, tail], end);
      await handle.sync();
      await handle.close();
      isOver = true;
      await rename(path, join(folder, STATE_NAME));
      await syncFolder(folder);
    },
    async discard() {
      if (isOver) return;
      isOver = true;
      await handle.close();
      await rm(path, { force: true });
    },
  };
}

/** Deletes what crashes have left. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(PART_SUFFIX)) continue;
    const path = join(folder, name);
    const left = await stat(path).catch(() => undefined); // another process may have swept it
    if (left !== undefined && Date.now() - left.mtimeMs > LEFT_MS) await rm(path, { force: true });
  }
}

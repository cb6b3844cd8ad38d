import { randomUUID } from 'node:crypto';
import { open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '../base/durable-file.ts';
import type { CubeSpec } from '../app/series/cube-store.ts';
import { EMPTY_LOG, writeLogHead } from './log-head.ts';
import { isLeftover, logName, writeManifest } from './manifest.ts';
import type { Manifest } from './manifest.ts';
import type { OpenLog } from './open-log.ts';
import { WriteFailed } from './write-failed.ts';
import { writeFully } from './write-fully.ts';

/** Writes a log without scenes and syncs it to disk. It can then be added to a manifest. */
export async function writeEmptyLog(path: string, spec: CubeSpec): Promise<void> {
  try {
    const handle = await open(path, 'w');
    try {
      await writeLogHead(handle, spec, EMPTY_LOG);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(path, { force: true });
    throw new WriteFailed(path, error);
  }
}

/** Creates the files of an empty cube in a folder. The caller must hold the writer's lock. */
export async function createFiles(folder: string, { width, height, sampleType }: CubeSpec): Promise<void> {
  const log = logName(1);
  const spec = { width, height, sampleType };
  await writeEmptyLog(join(folder, log), spec);
  await writeManifest(folder, { id: randomUUID(), spec, segments: [], sealed: [], log, next: 2 });
}

/**
 * Appends records after the last acknowledged record and syncs them to disk. If that fails, the log is unchanged. The
 * caller must hold the writer's lock.
 * @param records the bytes of the records, in parts
 * @param count number of records
 * @throws WriteFailed
 */
export async function appendRecords(
  { file, head }: OpenLog,
  spec: CubeSpec,
  records: readonly Uint8Array[],
  count: number,
): Promise<void> {
  try {
    const handle = await open(file.path, 'r+');
    try {
      // Cuts off the bytes of an unfinished append of a crashed writer.
      if ((await handle.stat()).size > head.end) await handle.truncate(head.end);
      try {
        const end = await writeFully(handle, records, head.end);
        await handle.sync();
        // Readers see the new records only after the head is written.
        await writeLogHead(handle, spec, { end, records: head.records + count });
      } catch (error) {
        await writeLogHead(handle, spec, head);
        await handle.truncate(head.end);
        throw error;
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new WriteFailed(file.path, error);
  }
}

/** Seals the open log, which later becomes a segment, and starts a new log. The caller must hold the writer's lock. */
export async function sealLog(folder: string, manifest: Manifest): Promise<void> {
  const log = logName(manifest.next);
  await writeEmptyLog(join(folder, log), manifest.spec);
  await writeManifest(folder, {
    ...manifest,
    sealed: [...manifest.sealed, manifest.log],
    log,
    next: manifest.next + 1,
  });
}

/**
 * Deletes files that a crash left and that are not in the manifest. The caller must hold both the writer's lock and the
 * closer's lock.
 */
export async function sweepLeftovers(folder: string, manifest: Manifest): Promise<void> {
  for (const name of await readdir(folder)) {
    if (isLeftover(name, manifest)) await rm(join(folder, name), { force: true });
  }
}

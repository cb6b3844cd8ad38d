import { open, readdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { CubeSpec } from '../app/ports.ts';
import type { CubeView } from './cube-view.ts';
import { writeFully } from './durable-file.ts';
import { isLeftover, logName, segmentName, writeManifest } from './manifest.ts';
import type { Manifest } from './manifest.ts';
import { writeSegment } from './segment-writer.ts';

/** An empty log, on disk before a manifest names it. */
async function writeEmptyLog(path: string): Promise<void> {
  const handle = await open(path, 'w');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes an empty cube in a folder. The caller holds the writer's lock. */
export async function createFiles(folder: string, { width, height, sampleType }: CubeSpec): Promise<void> {
  const log = logName(1);
  await writeEmptyLog(join(folder, log));
  await writeManifest(folder, { spec: { width, height, sampleType }, segments: [], log, next: 2 });
}

/**
 * Adds a record after the last whole one, durably, or leaves the log as it was. The caller holds the writer's lock.
 * @param end position after the last whole record [bytes]
 */
export async function appendRecord(path: string, end: number, record: Uint8Array): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    // What a crashed writer left after the last whole record.
    if ((await handle.stat()).size > end) await handle.truncate(end);
    try {
      await writeFully(handle, [record], end);
      await handle.sync();
    } catch (error) {
      await handle.truncate(end);
      throw error;
    }
  } finally {
    await handle.close();
  }
}

/**
 * Turns the open log into a segment and begins a new log. A crash between any two steps leaves either the old state or
 * the new. The caller holds the writer's lock.
 * @param onSlice called between slices of work, to keep the lock fresh
 */
export async function closeLog(folder: string, view: CubeView, onSlice: () => void): Promise<void> {
  const { manifest, log } = view;
  const segment = segmentName(manifest.next);
  const nextLog = logName(manifest.next);
  await writeSegment(join(folder, segment), view.spec, log, view.liveRecords(), onSlice);
  await writeEmptyLog(join(folder, nextLog));
  await writeManifest(folder, {
    spec: manifest.spec,
    segments: [...manifest.segments, segment],
    log: nextLog,
    next: manifest.next + 1,
  });
  await unlink(log.file.path);
}

/** Deletes what a writer that crashed has left and no manifest names. The caller holds the writer's lock. */
export async function sweepLeftovers(folder: string, manifest: Manifest): Promise<void> {
  for (const name of await readdir(folder)) {
    if (isLeftover(name, manifest)) await rm(join(folder, name), { force: true });
  }
}

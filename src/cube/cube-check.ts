import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CubeSpec } from '../app/series/cube-store.ts';
import { ByteCache } from './byte-cache.ts';
import { createFiles, sweepLeftovers, writeEmptyLog } from './cube-writer.ts';
import { DamagedFile } from './damaged-file.ts';
import { yieldToEventLoop } from '../base/event-loop.ts';
import { LOG_HEAD_BYTES, writeLogHead } from './log-head.ts';
import { logName, manifestStamp, readManifest, writeManifest } from './manifest.ts';
import type { Manifest } from './manifest.ts';
import { OpenLog } from './open-log.ts';
import { readFrames, readRecord } from './record-reader.ts';
import { sceneBytes } from './sample-layout.ts';
import { frameCount } from './scene-record.ts';
import type { SceneRecord } from './scene-record.ts';
import { SegmentFile } from './segment-file.ts';
import { SharedFile } from './shared-file.ts';
import { writeFully } from './write-fully.ts';

/** Number of frames (1 MiB) or strips that are verified before the event loop may run other work. */
const VERIFIED_AT_ONCE = 256;
/** Size of the pieces in which records are copied [bytes]: 1 MiB. */
const COPY_BYTES = 1024 * 1024;

/** A damaged file of a cube. */
interface Finding {
  readonly name: string;
  /** Path of the file and description of the damage. */
  readonly sentence: string;
}

/** Runs work that reads a file. @returns the damage it found, or null. @throws other errors */
async function damageIn(path: string, work: () => Promise<void>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof DamagedFile) return `${error.path}: ${error.what}`;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return `${path}: it is missing`;
    throw error;
  }
}

async function verifySegment(path: string, name: string, spec: CubeSpec): Promise<void> {
  const segment = new SegmentFile(path, name, spec, new ByteCache(0));
  try {
    for (let strip = 0; strip < segment.stripCount; strip += VERIFIED_AT_ONCE) {
      segment.verify(strip, Math.min(segment.stripCount, strip + VERIFIED_AT_ONCE) - 1);
      await yieldToEventLoop();
    }
  } finally {
    segment.file.release();
  }
}

async function verifyRecord(file: SharedFile, spec: CubeSpec, record: SceneRecord): Promise<void> {
  if (record.removed) return;
  const frames = frameCount(sceneBytes(spec));
  for (let first = 0; first < frames; first += VERIFIED_AT_ONCE) {
    readFrames(file, spec, record, first, Math.min(frames, first + VERIFIED_AT_ONCE));
    await yieldToEventLoop();
  }
}

async function verifyLog(path: string, spec: CubeSpec): Promise<void> {
  const log = new OpenLog(path, spec, new ByteCache(0));
  try {
    for (const record of log.records) await verifyRecord(log.file, spec, record);
  } finally {
    log.file.release();
  }
}

async function findDamage(folder: string, { spec, segments, sealed, log }: Manifest): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const name of [...segments, ...sealed, log]) {
    const path = join(folder, name);
    const sentence = await damageIn(path, () =>
      segments.includes(name) ? verifySegment(path, name, spec) : verifyLog(path, spec),
    );
    if (sentence !== null) found.push({ name, sentence });
  }
  return found;
}

/** Reads and verifies a whole cube. The caller must hold the writer's lock. @returns a sentence per damaged file */
export async function checkCube(folder: string): Promise<readonly string[]> {
  let found: Finding[] = [];
  const sentence = await damageIn(folder, async () => {
    found = await findDamage(folder, readManifest(folder));
  });
  return sentence === null ? found.map((finding) => finding.sentence) : [sentence];
}

/** Returns the manifest of a cube, or a sentence that explains why it cannot be used. */
async function manifestOf(folder: string, spec: CubeSpec): Promise<Manifest | string> {
  if (manifestStamp(folder) === null) return `${folder}: it holds no cube`;
  let manifest: Manifest | null = null;
  const sentence = await damageIn(folder, async () => {
    manifest = readManifest(folder);
    const { width, height, sampleType } = manifest.spec;
    if (width !== spec.width || height !== spec.height || sampleType !== spec.sampleType)
      throw new DamagedFile(folder, 'it holds a cube of another shape');
  });
  return sentence ?? manifest!;
}

/**
 * Drops damaged segments and the damaged scenes of logs, and keeps the rest. The caller must hold both the writer's
 * lock and the closer's lock.
 * @returns a sentence for each damaged file
 */
export async function repairCube(folder: string, spec: CubeSpec): Promise<readonly string[]> {
  const manifest = await manifestOf(folder, spec);
  if (typeof manifest === 'string') {
    await createFiles(folder, spec);
    await sweepLeftovers(folder, readManifest(folder));
    return [manifest];
  }
  const found = await findDamage(folder, manifest);
  if (found.length === 0) return [];
  const damaged = new Set(found.map(({ name }) => name));
  let { next } = manifest;
  const logs: string[] = [];
  for (const name of [...manifest.sealed, manifest.log]) {
    if (!damaged.has(name)) {
      logs.push(name);
      continue;
    }
    const fresh = logName(next++);
    await writeEmptyLog(join(folder, fresh), spec);
    await damageIn(join(folder, name), () => salvage(join(folder, name), join(folder, fresh), spec));
    logs.push(fresh);
  }
  const repaired: Manifest = {
    id: randomUUID(),
    spec: manifest.spec,
    segments: manifest.segments.filter((name) => !damaged.has(name)),
    sealed: logs.slice(0, -1),
    log: logs[logs.length - 1]!,
    next,
  };
  await writeManifest(folder, repaired);
  for (const name of damaged) await rm(join(folder, name), { force: true });
  return found.map(({ sentence }) => sentence);
}

/** Copies intact records from a damaged log to an empty log. Stops at the first damaged record header. */
async function salvage(from: string, to: string, spec: CubeSpec): Promise<void> {
  const file = new SharedFile(from);
  const handle = await open(to, 'r+');
  try {
    const size = file.size();
    let end = LOG_HEAD_BYTES;
    let records = 0;
    let record = readRecord(file, spec, LOG_HEAD_BYTES, size);
    for (; record !== null; record = readRecord(file, spec, record.end, size)) {
      const found = record;
      if ((await damageIn(from, () => verifyRecord(file, spec, found))) !== null) continue;
      for (let at = found.headerAt; at < found.end;) {
        const piece = new Uint8Array(Math.min(COPY_BYTES, found.end - at));
        file.read(piece, at);
        end = await writeFully(handle, [piece], end);
        at += piece.byteLength;
      }
      records++;
    }
    await handle.sync();
    await writeLogHead(handle, spec, { end, records });
  } finally {
    await handle.close();
    file.release();
  }
}

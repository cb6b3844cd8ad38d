import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../base/durable-file.ts';
import { ByteCache } from './byte-cache.ts';
import { checkPresent, CubeView } from './cube-view.ts';
import { manifestStamp, readManifest, segmentName, writeManifest } from './manifest.ts';
import type { Manifest } from './manifest.ts';
import { liveEntries } from './placement.ts';
import type { SceneEntry } from './scene-record.ts';
import { writeSegment } from './segment-writer.ts';
import type { SceneSource } from './segment-writer.ts';
import { CLOSER_LOCK, WRITER_LOCK, WriterLock } from './writer-lock.ts';

/** A segment is rewritten when at least this share of its scenes is superseded or removed [1]. */
const DEAD_SHARE = 0.25;

/** A new segment in a temporary file, and the source of its scenes. */
interface Closing {
  readonly temporary: string;
  readonly source: SceneSource;
}

/** What to do with a segment when a log is closed. */
type Fate = 'keep' | 'drop' | 'rewrite';

/** Decides what to do with a segment. A segment that contains a removed scene is always rewritten or dropped. */
function fateOf(scenes: readonly SceneEntry[], slots: Int32Array, removed: ReadonlySet<string>): Fate {
  const dead = slots.reduce((count, slot) => count + Number(slot < 0), 0);
  if (dead === slots.length) return 'drop';
  return dead >= slots.length * DEAD_SHARE || scenes.some(({ key }) => removed.has(key)) ? 'rewrite' : 'keep';
}

function sourceOf(
  file: {
    readonly entries: readonly SceneEntry[];
    chunk(indices: readonly number[], from: number, to: number): readonly Uint8Array[];
  },
  slots: Int32Array,
): SceneSource {
  const indices = liveEntries(slots);
  return {
    scenes: indices.map((i) => file.entries[i]!),
    chunk: (from, to) => file.chunk(indices, from, to),
  };
}

/**
 * Turns the sealed logs of a cube into segments, oldest first. Rewrites segments that contain removed scenes or many
 * superseded scenes. Other processes can append and read at the same time: only the change of the manifest needs the
 * writer's lock. A crash between any two steps leaves either the old state or the new state. Only one process closes
 * logs of a cube at a time.
 * @param lockTimeoutMs how long to wait for another process that closes logs of the same cube [ms]
 * @throws DamagedFile when a log or segment is damaged
 */
export async function closeSealedLogs(folder: string, lockTimeoutMs: number): Promise<void> {
  const closer = await WriterLock.take(folder, CLOSER_LOCK, lockTimeoutMs);
  try {
    while (await closeOldest(folder, closer, lockTimeoutMs));
  } finally {
    closer.release();
  }
}

/** Turns the oldest sealed log into a segment. @returns false when there is no sealed log */
async function closeOldest(folder: string, closer: WriterLock, lockTimeoutMs: number): Promise<boolean> {
  const manifest = readManifest(folder);
  const sealed = manifest.sealed[0];
  if (sealed === undefined) return false;
  checkPresent(folder, manifest);
  const caches = {
    strips: new ByteCache<string, Uint8Array>(0),
    columns: new ByteCache<string, Uint8Array[]>(0),
  };
  const view = new CubeView(folder, manifest, manifestStamp(folder) ?? '', caches, null);
  const temporaries: string[] = [];
  try {
    const log = view.logs[0]!;
    const removed = new Set(log.records.filter((record) => record.removed).map(({ key }) => key));
    const written = async (source: SceneSource): Promise<Closing> => {
      const temporary = join(folder, `${randomUUID()}.tmp`);
      temporaries.push(temporary);
      await writeSegment(temporary, manifest.spec, source, () => closer.touch());
      return { temporary, source };
    };
    const parts: (string | Closing)[] = [];
    for (const [i, segment] of view.segments.entries()) {
      const slots = view.placement.slots[i]!;
      const fate = fateOf(segment.scenes, slots, removed);
      if (fate === 'keep') parts.push(segment.name);
      else if (fate === 'rewrite')
        parts.push(
          await written(
            sourceOf({ entries: segment.scenes, chunk: (...range) => segment.chunk(...range) }, slots),
          ),
        );
    }
    const logSlots = view.placement.slots[view.segments.length]!;
    if (logSlots.some((slot) => slot >= 0))
      parts.push(
        await written(sourceOf({ entries: log.records, chunk: (...range) => log.chunk(...range) }, logSlots)),
      );
    return await adopt(folder, manifest, parts, lockTimeoutMs);
  } finally {
    view.release();
    for (const temporary of temporaries) await rm(temporary, { force: true });
  }
}

/** Removes the oldest sealed log from the manifest and enters the new list of segments. */
async function adopt(
  folder: string,
  before: Manifest,
  parts: readonly (string | Closing)[],
  lockTimeoutMs: number,
): Promise<boolean> {
  const writer = await WriterLock.take(folder, WRITER_LOCK, lockTimeoutMs);
  try {
    const now = readManifest(folder);
    // If the cube was created again or repaired in the meantime, the new segments are out of date.
    if (now.id !== before.id || now.sealed[0] !== before.sealed[0]) return true;
    let { next } = now;
    const segments: string[] = [];
    for (const part of parts) {
      const name = typeof part === 'string' ? part : segmentName(next++);
      if (typeof part !== 'string') await rename(part.temporary, join(folder, name));
      segments.push(name);
    }
    await syncFolder(folder);
    await writeManifest(folder, { ...now, segments, sealed: now.sealed.slice(1), next });
    for (const name of [...before.segments, before.sealed[0]!]) {
      if (!segments.includes(name)) await rm(join(folder, name), { force: true });
    }
    return true;
  } finally {
    writer.release();
  }
}

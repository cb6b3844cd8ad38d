import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { swapFile, syncFolder } from '../base/durable-file.ts';
import { UpstreamUnavailable } from '../base/errors.ts';
import type { CubeSpec } from '../app/series/cube-store.ts';
import { DamagedFile } from './damaged-file.ts';
import { checkSpec } from './sample-layout.ts';
import { WriteFailed } from './write-failed.ts';

/** Version of the folder layout that this release reads and writes. */
const LAYOUT_VERSION = 2;
export const MANIFEST_NAME = 'manifest.json';
/** Name of the former manifest of a cube that was moved to a bucket. What its folder still has is not used any more. */
export const MOVED_NAME = 'moved.json';
const SEGMENT_NAME = /^segment-\d{6,}\.gws$/;
const LOG_NAME = /^open-\d{6,}\.log$/;

/** The files of a cube, in order. */
export interface Manifest {
  /** Random id. It changes when a cube is repaired, or deleted and created again in the same folder. */
  readonly id: string;
  readonly spec: CubeSpec;
  /** Closed segments, oldest first. A scene supersedes scenes of the same key in earlier segments. */
  readonly segments: readonly string[];
  /** Sealed logs that wait to become segments, oldest first. Their scenes supersede those of all segments. */
  readonly sealed: readonly string[];
  /** The log that takes new scenes. Its scenes supersede all others. */
  readonly log: string;
  /** Number in the name of the next file that is created. */
  readonly next: number;
}

/** @throws UpstreamUnavailable when the cube of a folder was moved to a bucket */
export function refuseMoved(folder: string): void {
  if (existsSync(join(folder, MOVED_NAME)))
    throw new UpstreamUnavailable(
      `the cube in ${folder} was moved to a bucket: start this process with GROUNDWATCH_OBJECTS too`,
    );
}

/** Returns a text that changes whenever the manifest changes; null when there is none. Does not read the manifest. */
export function manifestStamp(folder: string): string | null {
  const stat = statSync(join(folder, MANIFEST_NAME), { throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`;
}

export function segmentName(n: number): string {
  return `segment-${String(n).padStart(6, '0')}.gws`;
}

export function logName(n: number): string {
  return `open-${String(n).padStart(6, '0')}.log`;
}

/** Whether a file was left by a crashed writer: it is named like a file of a cube, but is not in the manifest. */
export function isLeftover(name: string, { segments, sealed, log }: Manifest): boolean {
  if (name === log || segments.includes(name) || sealed.includes(name)) return false;
  return SEGMENT_NAME.test(name) || LOG_NAME.test(name) || name.endsWith('.tmp');
}

/** Checksum of the manifest's values. White space in the file has no effect on it. */
function sumOf({ id, spec, segments, sealed, log, next }: Manifest): number {
  const { width, height, sampleType } = spec;
  return crc32(JSON.stringify([id, width, height, sampleType, segments, sealed, log, next]));
}

/**
 * Reads and checks the manifest.
 * @throws DamagedFile when its content differs from what this version of the code writes
 */
export function readManifest(folder: string): Manifest {
  const path = join(folder, MANIFEST_NAME);
  const text = readFileSync(path, 'utf8');
  try {
    const { version, crc, ...manifest } = JSON.parse(text) as Manifest & {
      readonly version: number;
      readonly crc: number;
    };
    if (version !== LAYOUT_VERSION) {
      throw new RangeError(`layout version ${version}, where this software knows ${LAYOUT_VERSION}`);
    }
    checkSpec(manifest.spec);
    const logs = [...manifest.sealed, manifest.log];
    const named =
      manifest.segments.every((name) => SEGMENT_NAME.test(name)) && logs.every((name) => LOG_NAME.test(name));
    if (!named || !Number.isSafeInteger(manifest.next)) throw new RangeError('unknown file names');
    if (sumOf(manifest) !== crc) throw new RangeError('it fails its checksum');
    return manifest;
  } catch (error) {
    throw new DamagedFile(path, error instanceof Error ? error.message : 'it cannot be read', error);
  }
}

/** Replaces the manifest and syncs it to disk. @throws WriteFailed; the old manifest is then unchanged */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const path = join(folder, MANIFEST_NAME);
  const text = `${JSON.stringify({ version: LAYOUT_VERSION, ...manifest, crc: sumOf(manifest) }, null, 2)}\n`;
  try {
    await swapFile(path, text);
  } catch (error) {
    throw new WriteFailed(path, error);
  }
  await syncFolder(folder);
}

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { swapFile, syncFolder } from '../base/durable-file.ts';
import type { CubeSpec } from '../app/series/cube-store.ts';
import { DamagedFile } from './damaged-file.ts';
import { checkSpec } from './sample-layout.ts';
import { WriteFailed } from './write-failed.ts';

/** The version of the folder's layout that this software reads and writes. */
const LAYOUT_VERSION = 2;
export const MANIFEST_NAME = 'manifest.json';
const SEGMENT_NAME = /^segment-\d{6,}\.gws$/;
const LOG_NAME = /^open-\d{6,}\.log$/;

/** Which files of the folder are the cube. */
export interface Manifest {
  /** Tells the cube from another that was made later in the same folder. */
  readonly id: string;
  readonly spec: CubeSpec;
  /** Closed segments, oldest first; a later one's scene supersedes an earlier one's of the same key. */
  readonly segments: readonly string[];
  /** Full logs that wait to become segments, oldest first; they supersede every segment. */
  readonly sealed: readonly string[];
  /** The log that takes new scenes, which supersedes all others. */
  readonly log: string;
  /** Number of the next file. */
  readonly next: number;
}

/** Tells one state of the manifest from another without reading it. */
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

/** Whether a file is one that a crashed writer may have left and nobody names. */
export function isLeftover(name: string, { segments, sealed, log }: Manifest): boolean {
  if (name === log || segments.includes(name) || sealed.includes(name)) return false;
  return SEGMENT_NAME.test(name) || LOG_NAME.test(name) || name.endsWith('.tmp');
}

/** Checksum of what a manifest says, whatever its white space. */
function sumOf({ id, spec, segments, sealed, log, next }: Manifest): number {
  const { width, height, sampleType } = spec;
  return crc32(JSON.stringify([id, width, height, sampleType, segments, sealed, log, next]));
}

/** @throws DamagedFile when the manifest is not one that this version writes */
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

/** Puts a new manifest in the place of the old, durably. @throws WriteFailed; the old one is there still */
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

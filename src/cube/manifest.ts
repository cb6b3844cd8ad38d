import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CubeSpec } from '../app/ports.ts';
import { DamagedFile } from './damaged-file.ts';
import { replaceFile } from './durable-file.ts';
import { checkSpec } from './sample-layout.ts';

/** The only version of the folder's layout so far. */
const LAYOUT_VERSION = 1;
const FILE_NAME = 'manifest.json';
const SEGMENT_NAME = /^segment-\d{6,}\.gws$/;
const LOG_NAME = /^open-\d{6,}\.log$/;

/** Which files of the folder are the cube. */
export interface Manifest {
  readonly spec: CubeSpec;
  /** Closed segments, oldest first; a later one's scene supersedes an earlier one's of the same key. */
  readonly segments: readonly string[];
  /** The open log, which supersedes every segment. */
  readonly log: string;
  /** Number of the next file. */
  readonly next: number;
}

/** Tells one state of the manifest from another without reading it. */
export function manifestStamp(folder: string): string | null {
  const stat = statSync(join(folder, FILE_NAME), { throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}`;
}

export function segmentName(n: number): string {
  return `segment-${String(n).padStart(6, '0')}.gws`;
}

export function logName(n: number): string {
  return `open-${String(n).padStart(6, '0')}.log`;
}

/** Whether a file is one that a crashed writer may have left and nobody names. */
export function isLeftover(name: string, manifest: Manifest): boolean {
  if (name === manifest.log || manifest.segments.includes(name)) return false;
  return SEGMENT_NAME.test(name) || LOG_NAME.test(name) || name.endsWith('.tmp');
}

/** @throws DamagedFile when the manifest is not one that this version writes */
export function readManifest(folder: string): Manifest {
  const path = join(folder, FILE_NAME);
  const text = readFileSync(path, 'utf8');
  try {
    const { version, ...manifest } = JSON.parse(text) as Manifest & { readonly version: number };
    if (version !== LAYOUT_VERSION) {
      throw new RangeError(`layout version ${version}, where this software knows ${LAYOUT_VERSION}`);
    }
    checkSpec(manifest.spec);
    const named = manifest.segments.every((name) => SEGMENT_NAME.test(name)) && LOG_NAME.test(manifest.log);
    if (!named || !Number.isSafeInteger(manifest.next)) throw new RangeError('unknown file names');
    return manifest;
  } catch (error) {
    throw new DamagedFile(path, error instanceof Error ? error.message : 'it cannot be read', error);
  }
}

/** Puts a new manifest in the place of the old, durably. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await replaceFile(
    join(folder, FILE_NAME),
    `${JSON.stringify({ version: LAYOUT_VERSION, ...manifest }, null, 2)}\n`,
  );
}

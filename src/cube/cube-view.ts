import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CubeSpec } from '../app/series/cube-store.ts';
import type { ByteCache } from './byte-cache.ts';
import { DamagedFile } from './damaged-file.ts';
import type { Manifest } from './manifest.ts';
import { OpenLog } from './open-log.ts';
import { place } from './placement.ts';
import type { Placement } from './placement.ts';
import { SAMPLE_BYTES } from './sample-layout.ts';
import { FRAME_BYTES } from './scene-record.ts';
import { SegmentFile } from './segment-file.ts';
import { type Scatter, scatterScenes } from './scatter-samples.ts';
import { STRIP_PIXELS } from './strip-codec.ts';

/** Slots of a single scene. */
const FIRST = Int32Array.of(0);

/** Caches that all cubes of one store share. */
export interface CubeCaches {
  readonly strips: ByteCache<string, Uint8Array>;
  readonly columns: ByteCache<string, Uint8Array[]>;
}

/** The open files of one manifest of a cube: segments, sealed logs, and the log that takes new scenes. */
export class CubeView {
  readonly manifest: Manifest;
  readonly stamp: string;
  readonly segments: readonly SegmentFile[];
  /** Sealed logs, oldest first, then the open log. */
  readonly logs: readonly OpenLog[];
  #placement: Placement;
  #readers = 1;

  /**
   * Opens the files of the manifest. Files that are already open in the earlier view `before` are shared with it.
   * @throws DamagedFile, or an ENOENT error when a writer has replaced the manifest at the same time
   */
  constructor(
    folder: string,
    manifest: Manifest,
    stamp: string,
    caches: CubeCaches,
    before: CubeView | null,
  ) {
    this.manifest = manifest;
    this.stamp = stamp;
    const { spec } = manifest;
    // If the ids differ, the cube was deleted and created again, so files with the same name have other content.
    const same = before?.manifest.id === manifest.id ? before : null;
    const segments: SegmentFile[] = [];
    const logs: OpenLog[] = [];
    try {
      for (const name of manifest.segments) {
        const known = same?.segments.find((segment) => segment.name === name && segment.file.isInPlace());
        known?.file.hold();
        segments.push(known ?? new SegmentFile(join(folder, name), name, spec, caches.strips));
      }
      for (const name of [...manifest.sealed, manifest.log]) {
        const path = join(folder, name);
        const known = same?.logs.find(({ file }) => file.path === path && file.isInPlace());
        known?.file.hold();
        if (known !== undefined) logs.push(known);
        else logs.push(new OpenLog(path, spec, caches.columns));
      }
      // A log object that is shared with `before` may lack records that were appended before the log was sealed.
      for (const log of logs) log.refresh();
    } catch (error) {
      for (const { file } of [...segments, ...logs]) file.release();
      throw error;
    }
    this.segments = segments;
    this.logs = logs;
    this.#placement = this.#place();
  }

  get spec(): CubeSpec {
    return this.manifest.spec;
  }

  get placement(): Placement {
    return this.#placement;
  }

  /** The log that takes new scenes. */
  get log(): OpenLog {
    return this.logs.at(-1)!;
  }

  /** Reads scenes that another process appended. */
  refresh(): void {
    if (this.log.refresh()) this.#placement = this.#place();
  }

  #place(): Placement {
    return place([...this.segments.map((segment) => segment.scenes), ...this.logs.map((log) => log.records)]);
  }

  hold(): this {
    this.#readers++;
    return this;
  }

  release(): void {
    if (--this.#readers > 0) return;
    for (const { file } of [...this.segments, ...this.logs]) file.release();
  }

  /** Reads pixels `[from, to)` of all scenes of a placement into `out`, starting at pixel `outPixel` of `out`. */
  read(placement: Placement, from: number, to: number, out: Scatter['out'], outPixel: number): void {
    const times = placement.scenes.length;
    for (const [source, segment] of this.segments.entries()) {
      segment.read(from, to, { out, times, slots: placement.slots[source]! }, outPixel);
    }
    for (const [l, log] of this.logs.entries()) {
      this.#readLog(log, placement.slots[this.segments.length + l]!, from, to, { out, times, outPixel });
    }
  }

  /** Reads pixels `[from, to)` of one scene; undefined for an unknown key. */
  readScene(key: string, from: number, to: number): Float32Array | undefined {
    const { byKey, scenes, slots } = this.#placement;
    const scene = byKey.get(key);
    if (scene === undefined) return undefined;
    const slot = scenes.indexOf(scene);
    const source = slots.findIndex((of) => of.includes(slot));
    const entry = slots[source]!.indexOf(slot);
    const holder = this.segments[source] ?? this.logs[source - this.segments.length]!;
    const { sampleType } = this.spec;
    const block = this.segments[source] ? STRIP_PIXELS : FRAME_BYTES / SAMPLE_BYTES[sampleType];
    const first = Math.floor(from / block) * block;
    const [bytes] = holder.chunk([entry], first, to);
    const out = new Float32Array(to - from);
    scatterScenes([bytes!], sampleType, from - first, to - from, { out, times: 1, slots: FIRST }, 0);
    return out;
  }

  #readLog(
    log: OpenLog,
    slots: Int32Array,
    from: number,
    to: number,
    answer: { readonly out: Scatter['out']; readonly times: number; readonly outPixel: number },
  ): void {
    if (slots.length === 0) return;
    const { sampleType } = this.spec;
    const framePixels = FRAME_BYTES / SAMPLE_BYTES[sampleType];
    for (let frame = Math.floor(from / framePixels); frame * framePixels < to; frame++) {
      const column = log.column(frame);
      const a = Math.max(from, frame * framePixels);
      const b = Math.min(to, (frame + 1) * framePixels);
      scatterScenes(
        column,
        sampleType,
        a - frame * framePixels,
        b - a,
        { out: answer.out, times: answer.times, slots },
        answer.outPixel + a - from,
      );
    }
  }
}

/** Checks that all files of the manifest exist. @throws DamagedFile naming a missing file */
export function checkPresent(folder: string, { segments, sealed, log }: Manifest): void {
  for (const name of [...segments, ...sealed, log]) {
    const path = join(folder, name);
    if (!existsSync(path)) throw new DamagedFile(path, 'it is missing');
  }
}

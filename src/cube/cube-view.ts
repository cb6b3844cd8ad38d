import { join } from 'node:path';
import type { CubeScene, CubeSpec } from '../app/ports.ts';
import type { ByteCache } from './byte-cache.ts';
import type { Manifest } from './manifest.ts';
import { OpenLog } from './open-log.ts';
import { SAMPLE_BYTES } from './sample-layout.ts';
import { FRAME_BYTES } from './scene-record.ts';
import { SegmentFile } from './segment-file.ts';
import { scatterScene } from './strip-codec.ts';

/** Memory that all cubes of one store share. */
export interface CubeCaches {
  readonly strips: ByteCache<string, Uint8Array>;
  readonly columns: ByteCache<string, Uint8Array[]>;
}

/** A scene and where its samples are. */
interface Placed {
  readonly scene: CubeScene;
  /** Position in the segments; the open log comes after them. */
  readonly source: number;
  /** Position within the source. */
  readonly at: number;
}

/** The live scenes in order, and where each source's scenes go. */
export interface Placement {
  readonly scenes: readonly CubeScene[];
  readonly byKey: ReadonlyMap<string, CubeScene>;
  /** Per source, the position of each of its scenes in `scenes`; -1 when superseded. */
  readonly slots: readonly Int32Array[];
}

function compareScenes(a: CubeScene, b: CubeScene): number {
  return a.timeMs - b.timeMs || (a.key < b.key ? -1 : Number(a.key > b.key));
}

/** Later sources, and later records of one source, supersede earlier ones of the same key. */
function place(sources: readonly (readonly CubeScene[])[]): Placement {
  const live = new Map<string, Placed>();
  for (const [source, scenes] of sources.entries()) {
    for (const [at, { key, timeMs, sha256 }] of scenes.entries()) {
      live.set(key, { scene: { key, timeMs, sha256 }, source, at });
    }
  }
  const placed = [...live.values()].sort((a, b) => compareScenes(a.scene, b.scene));
  const slots = sources.map((scenes) => new Int32Array(scenes.length).fill(-1));
  for (const [slot, { source, at }] of placed.entries()) slots[source]![at] = slot;
  return {
    scenes: placed.map(({ scene }) => scene),
    byKey: new Map(placed.map(({ scene }) => [scene.key, scene])),
    slots,
  };
}

/** The open files of a cube under one manifest. */
export class CubeView {
  readonly manifest: Manifest;
  readonly stamp: string;
  readonly log: OpenLog;
  readonly #segments: readonly SegmentFile[];
  #placement: Placement;
  #readers = 1;

  /**
   * Opens what the manifest names, taking over segments that `before` has open.
   * @throws DamagedFile, or ENOENT when a writer has replaced the manifest meanwhile
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
    const segments: SegmentFile[] = [];
    const opened = before === null ? [] : before.#segments;
    try {
      for (const name of manifest.segments) {
        const known = opened.find((segment) => segment.name === name);
        known?.file.hold();
        segments.push(known ?? new SegmentFile(join(folder, name), name, manifest.spec, caches.strips));
      }
      this.log = new OpenLog(join(folder, manifest.log), manifest.spec, caches.columns);
    } catch (error) {
      for (const segment of segments) segment.file.release();
      throw error;
    }
    this.#segments = segments;
    this.#placement = this.#place();
  }

  get spec(): CubeSpec {
    return this.manifest.spec;
  }

  get placement(): Placement {
    return this.#placement;
  }

  /** Takes in what another process has appended. */
  refresh(): void {
    if (this.log.refresh()) this.#placement = this.#place();
  }

  #place(): Placement {
    return place([...this.#segments.map((segment) => segment.scenes), this.log.records]);
  }

  /** Records of the open log that no later one supersedes, in order of time. */
  liveRecords(): readonly number[] {
    const slots = this.#placement.slots.at(-1)!;
    return [...slots.keys()].filter((i) => slots[i]! >= 0).sort((a, b) => slots[a]! - slots[b]!);
  }

  hold(): this {
    this.#readers++;
    return this;
  }

  release(): void {
    if (--this.#readers > 0) return;
    for (const segment of this.#segments) segment.file.release();
    this.log.file.release();
  }

  /** Writes pixels `[from, to)` of every scene of a placement into `out`, whose pixel `outPixel` is `from`. */
  read(
    placement: Placement,
    from: number,
    to: number,
    out: Float32Array | Float64Array,
    outPixel: number,
  ): void {
    const times = placement.scenes.length;
    for (const [source, segment] of this.#segments.entries()) {
      segment.read(from, to, { out, times, slots: placement.slots[source]! }, outPixel);
    }
    this.#readLog(placement, from, to, out, outPixel);
  }

  #readLog(
    placement: Placement,
    from: number,
    to: number,
    out: Float32Array | Float64Array,
    outPixel: number,
  ): void {
    const slots = placement.slots.at(-1)!;
    if (slots.length === 0) return;
    const { sampleType } = this.spec;
    const framePixels = FRAME_BYTES / SAMPLE_BYTES[sampleType];
    for (let frame = Math.floor(from / framePixels); frame * framePixels < to; frame++) {
      const column = this.log.column(frame);
      const a = Math.max(from, frame * framePixels);
      const b = Math.min(to, (frame + 1) * framePixels);
      for (let i = 0; i < slots.length; i++) {
        const slot = slots[i]!;
        if (slot < 0) continue;
        scatterScene(
          column[i]!,
          sampleType,
          a - frame * framePixels,
          b - a,
          out,
          placement.scenes.length,
          slot,
          outPixel + a - from,
        );
      }
    }
  }
}

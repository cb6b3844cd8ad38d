import type { Exchange, TrackArrays } from '../kernel/track-arrays.ts';
import { RankClass, rankOf } from '../scene/like-pixels.ts';
import type { SceneFrame } from '../scene/scene-frame.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter } from '../state/state-writer.ts';
import { PhenologyClass } from './phenology-class.ts';

/**
 * The undisturbed observations of one pixel, in order of time, and the classes of the pixel that follow from them. The
 * baselines of a pixel read its history. One instance is reused for every pixel of a thread.
 */
export class PixelHistory {
  /** Number of observations. */
  count = 0;
  /** Number of times that the history was cleared: what was derived of it before is then void. */
  cleared = 0;
  /** Scene and value [metric unit] of each observation. Call `list` before reading them. */
  readonly scenes: Int32Array;
  readonly values: Float64Array;
  readonly frame: SceneFrame;
  readonly rank = new RankClass();
  readonly #phenology: PhenologyClass;
  /** Number of observations that `loadRun` loaded and `list` has not yet written to `scenes` and `values`. */
  #unlisted = 0;
  #first = -1;
  #series: ArrayLike<number> = [];
  #offset = 0;

  /** @param arrays where scenes and values are kept, if given */
  constructor(frame: SceneFrame, arrays?: Pick<TrackArrays, 'scenes' | 'values'>) {
    const scenes = frame.timesMs.length;
    this.frame = frame;
    this.scenes = arrays?.scenes ?? new Int32Array(scenes);
    this.values = arrays?.values ?? new Float64Array(scenes);
    this.#phenology = new PhenologyClass(frame.isGreen);
  }

  clear(): void {
    this.count = 0;
    this.cleared += 1;
    this.#unlisted = 0;
    this.rank.clear();
    this.#phenology.clear();
  }

  /** Adds an observation [metric unit]. */
  add(scene: number, value: number): void {
    this.scenes[this.count] = scene;
    this.values[this.count] = value;
    this.count += 1;
    const rank = rankOf(this.frame.edges, scene, value);
    if (rank < 0) return;
    this.rank.add(rank);
    this.#phenology.add(scene, rank);
  }

  /**
   * Hands the number of observations and the classes to the kernel, or takes them back.
   * @param departed number of times that all departures were computed anew. Returns the number that the record has
   */
  exchange(record: Exchange, departed: number): number {
    this.count = record.whole(this.count);
    record.whole(this.cleared);
    const its = record.whole(departed);
    this.rank.exchange(record);
    this.#phenology.exchange(record);
    return its;
  }

  /** Latest scene; -1 when empty. */
  get lastScene(): number {
    return this.count === 0 ? -1 : this.scenes[this.count - 1]!;
  }

  /** Phenology class of the pixel; -1 while unknown. */
  get phenology(): number {
    return this.#phenology.value;
  }

  /** Saves the sums that determine the pixel's classes. */
  saveClasses(writer: StateWriter): void {
    this.rank.save(writer);
    this.#phenology.save(writer);
  }

  loadClasses(reader: StateReader): void {
    this.rank.load(reader);
    this.#phenology.load(reader);
  }

  /**
   * Saves the observed scenes. Values are not saved: `loadScenes` reads them from the pixel's series.
   * @param numbers one number per scene; those of the observed scenes are also saved, in half precision
   */
  saveScenes(writer: StateWriter, numbers?: Float32Array): void {
    writer.history(this.scenes, this.count, numbers);
  }

  /** Loads the scenes that `saveScenes` saved. @param offset index of the pixel's first scene in `series` */
  loadScenes(reader: StateReader, series: ArrayLike<number>, offset: number, numbers?: Float32Array): void {
    this.count = reader.history(this.scenes, numbers);
    for (let i = 0; i < this.count; i++) this.values[i] = series[offset + this.scenes[i]!]!;
  }

  /** Saves a history that contains all observations from its first scene on: the first scene and the count. */
  saveRun(writer: StateWriter): void {
    writer.natural(this.count);
    writer.scene(this.count === 0 ? -1 : this.#unlisted > 0 ? this.#first : this.scenes[0]!);
  }

  /** Loads what `saveRun` saved. The observations are seldom needed, so only `list` reads them from the series. */
  loadRun(reader: StateReader, series: ArrayLike<number>, offset: number): void {
    this.count = reader.natural();
    this.#first = reader.scene();
    this.#series = series;
    this.#offset = offset;
    this.#unlisted = this.count;
  }

  /** Writes the observations that `loadRun` did not read to `scenes` and `values`. */
  list(): void {
    if (this.#unlisted === 0) return;
    let scene = this.#first;
    for (let i = 0; i < this.#unlisted; i++) {
      let value = this.#series[this.#offset + scene]!;
      for (; !Number.isFinite(value); value = this.#series[this.#offset + scene]!) scene += 1;
      this.scenes[i] = scene;
      this.values[i] = value;
      scene += 1;
    }
    this.#unlisted = 0;
  }
}

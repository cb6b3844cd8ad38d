import type { Exchange, TrackArrays } from '../kernel/track-arrays.ts';
import { PARAMETERS } from '../parameters.ts';
import { NONE } from '../stack.ts';
import type { StateStream } from '../state/state-stream.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter } from '../state/state-writer.ts';
import type { PixelHistory } from './history.ts';
import { SeasonalFit } from './seasonal-fit.ts';

/** Part of a history that is fitted: its observations `[from, to)`. */
export interface FittedPart {
  readonly from: number;
  readonly to: number;
}

/** Baseline from a pixel's own seasonal fit, and the part of its history that is fitted. */
export class SeasonalBaseline {
  /** Whether there is a fit. */
  isFitted = false;
  /** The observations `[from, to)` of the history are fitted. */
  from = 0;
  to = 0;
  readonly fit: SeasonalFit;
  readonly #history: PixelHistory;

  /** @param arrays where the fit is kept, if given */
  constructor(history: PixelHistory, arrays?: TrackArrays) {
    this.#history = history;
    this.fit = new SeasonalFit(history.frame.design, arrays);
  }

  clear(): void {
    this.isFitted = false;
    this.from = 0;
    this.to = 0;
  }

  /** Hands the fit to the kernel, or takes it back. */
  exchange(record: Exchange): void {
    this.isFitted = record.flag(this.isFitted);
    this.from = record.whole(this.from);
    this.to = record.whole(this.to);
    this.fit.exchange(record);
  }

  save(writer: StateWriter): void {
    this.#fields(writer);
  }

  load(reader: StateReader): void {
    this.#fields(reader);
  }

  /**
   * Writes or reads the saved fields, always in the same order. `isFitted` occurs twice, because an earlier version of
   * the format had the kind of baseline in the second place.
   */
  #fields(stream: StateStream): void {
    this.isFitted = stream.flag(this.isFitted);
    this.from = stream.natural(this.from);
    this.to = stream.natural(this.to);
    this.isFitted = stream.flag(this.isFitted);
  }

  /**
   * Sets `from` and `to` to the part of the history that must be fitted for a scene. Returns false and changes nothing
   * if no new fit is due, because the history is too short or has grown too little since the last fit.
   */
  moveWindow(scene: number): boolean {
    const { count: n, scenes, frame } = this.#history;
    const { timesMs } = frame;
    if (n < PARAMETERS.minHarmonicObservations || n < Math.max(this.to + 1, this.to * PARAMETERS.refitGrowth))
      return false;
    this.#history.list();
    const last = timesMs[scenes[n - 1]!]!;
    let from = 0;
    while (last - timesMs[scenes[from]!]! > PARAMETERS.maxHistoryMs) from += 1;
    if (n - from < PARAMETERS.minHarmonicObservations) from = n - PARAMETERS.minHarmonicObservations;
    const first = timesMs[scenes[from]!]!;
    if (
      timesMs[scene]! - first < PARAMETERS.minHarmonicSpanMs ||
      last - first < PARAMETERS.minHarmonicHistoryMs
    )
      return false;
    this.from = from;
    this.to = n;
    return true;
  }

  /** Fits the stable end of the observations `[from, to)`, and sets `from` to the start of what was fitted. */
  refit(): void {
    const start = this.fitPart({ from: this.from, to: this.to });
    this.isFitted = start !== NONE && this.#isSufficient(start);
    if (this.isFitted) this.from = start;
  }

  /**
   * Whether the fit from a given observation on is a baseline. One year does not show how seasons differ, so with less
   * than two years only a fit to steady ground is.
   */
  #isSufficient(start: number): boolean {
    const { scenes, frame } = this.#history;
    const { timesMs, noiseFloor } = frame;
    const spanMs = timesMs[scenes[this.to - 1]!]! - timesMs[scenes[start]!]!;
    return (
      spanMs >= PARAMETERS.sufficientHistoryMs || this.fit.sigma <= PARAMETERS.youngFitFloors * noiseFloor
    );
  }

  /**
   * Fits the stable end of a part of the history, or the whole part if its stable end is too short. Returns the first
   * observation that was fitted; -1 if the fit failed.
   */
  fitPart({ from, to }: FittedPart): number {
    const { scenes, values, frame } = this.#history;
    const { timesMs } = frame;
    const last = timesMs[scenes[to - 1]!]!;
    const withTrend = last - timesMs[scenes[from]!]! >= PARAMETERS.minTrendSpanMs;
    const isFitted = this.fit.fitHistory(scenes, values, from, to, withTrend, true);
    let stable = from;
    while (stable < to - 1 && scenes[stable]! < this.fit.start) stable += 1;
    // The stable end must be long enough for a seasonal baseline: a few months do not cover the seasons.
    const isFull =
      to - stable >= PARAMETERS.minHarmonicObservations &&
      last - timesMs[scenes[stable]!]! >= PARAMETERS.minHarmonicSpanMs;
    // If the stable end is the whole part, the fit above already is the fit to the whole part.
    if (isFitted && (isFull || stable === from)) return stable;
    return this.fit.fitHistory(scenes, values, from, to, withTrend) ? from : NONE;
  }
}

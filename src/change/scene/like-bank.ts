import { PARAMETERS } from '../parameters.ts';
import type { StackSpec } from '../stack.ts';

/** Series of the pixels of a bank, collected by a survey in any order. */
export interface BankSeries {
  /** Grid index of each pixel. */
  readonly pixels: number[];
  /** Values of each pixel by scene [metric unit]; NaN where nothing was observed. */
  readonly values: Float32Array[];
}

/**
 * A sample of the pixels of a grid, each with its like pixels: those of the sample whose history is most similar,
 * wherever they lie. What the like pixels show in a scene is what a pixel would show if nothing happened to it. A pixel
 * of the grid that is not in the bank uses the like pixels of the pixel of the bank that resembles it most. What the
 * bank says of a scene does not depend on later scenes. Plain data that can be sent to other threads.
 */
export interface LikeBank {
  /** Grid indices of the pixels, ascending. */
  readonly pixels: Int32Array;
  /** Values [metric unit], `[scene][pixel]`; 0 where nothing was observed. */
  readonly values: Float32Array;
  /**
   * Scene since which a value is known to be undisturbed history, `[scene][pixel]`; `NEVER` if it is not, `UNSEEN` where
   * nothing was observed.
   */
  readonly knownSince: Int32Array;
  /**
   * First scene of the history from which the current list of a pixel was made, `[scene][pixel]`; `NEVER` while it has
   * no list.
   */
  readonly firsts: Int32Array;
  /** List of like pixels that a pixel has in a scene, `[scene][pixel]`; -1 before its first list. */
  readonly lists: Int32Array;
  /** Scene in which a list was made, `[list]`. */
  readonly listMade: Int32Array;
  /**
   * Median and robust standard deviation of the values of the like pixels [metric unit], `[list][scene]`, up to the
   * last scene in which the list is used; NaN where too few of them were observed.
   */
  readonly median: Float32Array;
  readonly spread: Float32Array;
  /** Positions in the bank of the like pixels, `[list][like pixel]`; -1 where there are fewer. */
  readonly members: Int32Array;
  /**
   * Scene since which a pixel has fallen plainly, as known at a scene, `[scene][pixel]`; -1 if it has not, or is as its
   * like pixels again.
   */
  readonly fallenSince: Int32Array;
  /** What is needed to continue with the next scene. */
  readonly state: BankState;
}

/** State of the pixels of a bank after a scene, one number per pixel unless stated otherwise. */
export interface BankState {
  /** Current list; -1 if there is none. */
  readonly list: Int32Array;
  /** First scene of the history from which the current list was made. */
  readonly first: Int32Array;
  /** Positions in the bank of the like pixels, `[pixel][like pixel]`; -1 where there are fewer. */
  readonly likes: Int32Array;
  /** Number of observations of the history, and that number when the list was made. */
  readonly known: Int32Array;
  readonly listed: Int32Array;
  /** First scene of the history, and of the observations since the evidence of a departure began (-1: none). */
  readonly from: Int32Array;
  readonly began: Int32Array;
  /** Usual difference from the like pixels, its standard deviation [metric unit], and the high level. */
  readonly offset: Float64Array;
  readonly sigma: Float64Array;
  readonly high: Float64Array;
  /** CUSUM of falls and of rises [standard deviations]. */
  readonly falls: Float64Array;
  readonly rises: Float64Array;
  /** 1 while a pixel departs, so that it is no standard for others. */
  readonly departs: Uint8Array;
  /** Scene since which it has fallen plainly; -1 if it has not. */
  readonly fallen: Int32Array;
}

/** Values of `knownSince` for a value that is not history, and where there is no value. */
export const NEVER = 0x7ffffffe;
export const UNSEEN = 0x7fffffff;

/** Distance between the rows, and between the columns, of the pixels of the bank. */
export function bankStep({ width, height }: StackSpec): number {
  return Math.max(1, Math.ceil(Math.sqrt((width * height) / PARAMETERS.bankPixels)));
}

/** Whether a pixel of the grid is in the bank. */
export function isInBank(spec: StackSpec, pixel: number, step: number): boolean {
  return Math.floor(pixel / spec.width) % step === 0 && (pixel % spec.width) % step === 0;
}

/**
 * Adds to `sums` and `counts`, by pixel of the bank, the difference between a value and theirs in one scene, where this
 * value was undisturbed history of theirs. Clouds are random, so branches would often be mispredicted.
 * @param now scene at which it has to be known
 * @param firsts first scene that counts, `[pixel]` from `offset` on
 */
export function addDifferences(
  { values, knownSince }: Pick<LikeBank, 'values' | 'knownSince'>,
  scene: number,
  value: number,
  now: number,
  firsts: Int32Array,
  offset: number,
  sums: Float64Array,
  counts: Int32Array,
): void {
  const clip = PARAMETERS.likeClip;
  const count = sums.length;
  const from = scene * count;
  for (let b = 0; b < count; b++) {
    const isKnown = ((knownSince[from + b]! - now - 1) >>> 31) & ((firsts[offset + b]! - scene - 1) >>> 31);
    sums[b] = sums[b]! + isKnown * Math.min(clip, Math.abs(value - values[from + b]!));
    counts[b] = counts[b]! + isKnown;
  }
}

/**
 * Standard deviation of the difference of a pixel from its like pixels, shrunk to a prior while it is known from few
 * observations [metric unit].
 * @param deviation robust standard deviation of `n` differences
 */
export function likeScale(deviation: number, n: number, noiseFloor: number): number {
  const { scalePrior, likePriorFloors, likeLeastFloors } = PARAMETERS;
  const prior = likePriorFloors * noiseFloor;
  const variance = (n * (deviation * deviation) + scalePrior * (prior * prior)) / (n + scalePrior);
  return Math.max(likeLeastFloors * noiseFloor, Math.sqrt(variance));
}

/** Next value of a one-sided CUSUM. @param z standardised residual in the direction of the departure */
export function nextCusum(sum: number, z: number): number {
  const { cusumClip, cusumSlack } = PARAMETERS;
  return Math.max(0, sum + Math.min(cusumClip, z) - cusumSlack);
}

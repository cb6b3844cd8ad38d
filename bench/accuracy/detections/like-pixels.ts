// Long file: one method, whose steps share the state of its pixels.
import { minimumMappingUnit } from '../../../src/change/object/objects.ts';
import { harmonicFit, type HarmonicFit } from '../../../src/change/statistics/harmonic-fit.ts';
import { MAD_TO_SIGMA } from '../../../src/numerics/median.ts';
import { DAY_MS, JULIAN_YEAR_MS } from '../../../src/base/time.ts';
import type { SampleStack } from '../engine.ts';
import { median } from '../median.ts';
import type { Detection } from './detection.ts';

// All constants were chosen beside the half of the spliced conversions on which constants may be chosen.
const CANDIDATES = 1200; // number of pixels, on a lattice, that may be like pixels
const LIKES = 40; // like pixels of a pixel
const LEAST_LIKES = 10;
const APART = 4; // rows or columns within which no like pixel lies
const LEAST_HISTORY = 8; // observations, over the time of the next line
const LEAST_HISTORY_MS = 330 * DAY_MS;
const LEAST_SHARED = 6; // scenes in which two pixels are compared
const MOST_DIFFERENCE = 0.5; // larger differences of two pixels are clouds
const NEW_LIKES = 1.2; // growth of the history after which the like pixels are chosen again
const OWN_YEARS_MS = 2 * JULIAN_YEAR_MS; // history from which the pixel's own harmonics must agree
const LEAST_FITTED = 15; // observations of such a fit
const NEW_FIT = 1.1;
const ODD = 0.1; // difference of the two expectations of a scene that is left out, where they disagree on the sign
const PRIOR_SIGMA = 0.03; // scatter of a pixel about its like pixels before it is known
const PRIOR_WEIGHT = 8; // [observations]
const LEAST_SIGMA = 0.02;
const SLACK = 1; // of the CUSUM [standard deviations]
const MOST_Z = 4;
const SUSPECTED = 4; // CUSUM above which a pixel is no standard for others and supports its neighbours
const CERTAIN = { alone: 16, together: 7 }; // CUSUM that a change needs
const DROP = { alone: 0.12, together: 0.08 }; // median of the latest three residuals that a change needs
const TOGETHER_PIXELS = 2; // neighbours that support a pixel
const LOWS = 3; // observations in a row that depart by half of the drop and one standard deviation
const DORMANT = 0.5; // share of the high level below which a fall does not show
const HIGH = 0.9; // quantile of the high level
const ONSET = 0.4; // level before the onset, as a share of the level after it
const SEASON = 24 / 365.25; // half-width of a season [years]
const PARTS = 24; // parts of the year by which a change is compared with its past
const LOW_PARTS = 1 / 6; // a change has ended if fewer parts of the year are low
const LINKED_MS = 200 * DAY_MS; // pixels of one object begin within this time

/** State of one pixel. The lists of scenes are in order of time. */
interface Pixel {
  history: number[];
  likes: readonly number[];
  /** Length of the history when the like pixels were chosen, and when the harmonics were fitted. */
  chosen: number;
  fitted: number;
  fit: HarmonicFit | null;
  offset: number;
  sigma: number;
  high: number;
  /** CUSUM of falls and rises. */
  sums: [number, number];
  /** Scenes since the evidence began, with their residuals and the same in standard deviations. */
  open: { scene: number; residual: number; z: number }[];
  isSuspected: boolean;
  change: { side: 0 | 1; onset: number; told: number; drop: number; isLow: (boolean | undefined)[] } | null;
}

/**
 * Reference method that compares each pixel with the pixels that were most similar to it, wherever they lie, and follows
 * the difference by a CUSUM. From two years on the pixel's own harmonics must agree. A change is confirmed by three low
 * observations, sooner where neighbours change too, and ends when the pixel is back at its own past level in all
 * seasons. The whole grid is followed scene by scene. After the blind trial of docs/methods/change.md.
 * @returns the changes that stand at the end, of objects of the minimum mapping unit
 */
export function likePixels(
  { width, height, pixelAreaM2, timesMs, metrics }: SampleStack,
  metric: string,
): Detection[] {
  const grid = new LikePixelGrid(width, height, timesMs, metrics[metric]!);
  for (let t = 0; t < timesMs.length; t++) grid.follow(t);
  return grid.standing(minimumMappingUnit(pixelAreaM2));
}

class LikePixelGrid {
  readonly #width: number;
  readonly #height: number;
  readonly #timesMs: Float64Array;
  readonly #years: Float64Array;
  readonly #values: ArrayLike<number>;
  readonly #pixels: Pixel[];
  readonly #candidates: number[];
  readonly #isHistory: Uint8Array;

  constructor(width: number, height: number, timesMs: Float64Array, values: ArrayLike<number>) {
    this.#width = width;
    this.#height = height;
    this.#timesMs = timesMs;
    this.#years = timesMs.map((ms) => ms / JULIAN_YEAR_MS);
    this.#values = values;
    this.#pixels = Array.from({ length: width * height }, () => ({
      history: [],
      likes: [],
      chosen: 0,
      fitted: 0,
      fit: null,
      offset: 0,
      sigma: 0,
      high: 0,
      sums: [0, 0],
      open: [],
      isSuspected: false,
      change: null,
    }));
    const step = Math.max(1, Math.ceil(Math.sqrt((width * height) / CANDIDATES)));
    this.#candidates = [...this.#pixels.keys()].filter(
      (p) => Math.floor(p / width) % step === 0 && (p % width) % step === 0,
    );
    this.#isHistory = new Uint8Array(width * height * timesMs.length);
  }

  /** Processes one scene: all pixels are judged by what was known before it, then their departures are confirmed. */
  follow(t: number): void {
    const judged: number[] = [];
    for (const p of this.#pixels.keys()) {
      if (Number.isNaN(this.#at(p, t))) continue;
      if (this.#pixels[p]!.change !== null) this.#awaitEnd(p, t);
      else if (this.#judge(p, t)) judged.push(p);
    }
    for (const p of judged) this.#pixels[p]!.isSuspected ||= Math.max(...this.#pixels[p]!.sums) > SUSPECTED;
    for (const p of judged) this.#confirm(p, t);
  }

  #at(p: number, t: number): number {
    return this.#values[p * this.#timesMs.length + t]!;
  }

  #learn(p: number, t: number): void {
    this.#pixels[p]!.history.push(t);
    this.#isHistory[p * this.#timesMs.length + t] = 1;
  }

  /** Updates the evidence of a pixel. Returns whether there is any. */
  #judge(p: number, t: number): boolean {
    const pixel = this.#pixels[p]!;
    const { history, sums, open } = pixel;
    const lengthMs = this.#timesMs[t]! - this.#timesMs[history[0] ?? t]!;
    const isLong = history.length >= LEAST_HISTORY && lengthMs >= LEAST_HISTORY_MS;
    const isDue =
      pixel.likes.length === 0 || (!pixel.isSuspected && history.length > NEW_LIKES * pixel.chosen);
    if (isLong && isDue) this.#choose(p);
    const [expected, spread] = this.#likeLevel(pixel.likes, t);
    const residual = this.#residual(p, t, expected + pixel.offset, lengthMs);
    if (Number.isNaN(residual)) {
      if (open.length === 0) this.#learn(p, t);
      return false;
    }
    const z = Math.max(-MOST_Z, Math.min(MOST_Z, residual / Math.hypot(pixel.sigma, spread)));
    if (expected + pixel.offset >= DORMANT * pixel.high) sums[0] = Math.max(0, sums[0] - z - SLACK);
    sums[1] = Math.max(0, sums[1] + z - SLACK);
    open.push({ scene: t, residual, z });
    if (sums[0] > 0 || sums[1] > 0) return true;
    for (const { scene } of open) this.#learn(p, scene);
    pixel.open = [];
    pixel.isSuspected = false;
    return false;
  }

  /** Departure from the expected value; NaN where none is known, or where the scene is odd. */
  #residual(p: number, t: number, expected: number, lengthMs: number): number {
    const pixel = this.#pixels[p]!;
    const { history } = pixel;
    const residual = this.#at(p, t) - expected;
    if (lengthMs <= OWN_YEARS_MS || history.length < LEAST_FITTED) return residual;
    if (pixel.fit === null || history.length > NEW_FIT * pixel.fitted) this.#fit(p);
    const own = pixel.fit?.expected(this.#years[t]!);
    if (own === undefined) return residual;
    const ownResidual = this.#at(p, t) - own;
    const isAgreed = Math.sign(residual) === Math.sign(ownResidual);
    if (isAgreed) return Math.sign(residual) * Math.min(Math.abs(residual), Math.abs(ownResidual));
    return Math.abs(own - expected) > ODD ? Number.NaN : 0;
  }

  #fit(p: number): void {
    const pixel = this.#pixels[p]!;
    const terms = { harmonics: 2, withTrend: false };
    let scenes = pixel.history;
    for (let round = 0; round < 3; round++) {
      const years = scenes.map((s) => this.#years[s]!);
      const fit = harmonicFit(
        years,
        scenes.map((s) => this.#at(p, s)),
        terms,
      );
      pixel.fit = fit;
      if (fit === null) break;
      const errorOf = (s: number): number => Math.abs(this.#at(p, s) - fit.expected(this.#years[s]!));
      const most = 3 * Math.max(0.01, MAD_TO_SIGMA * median(pixel.history.map(errorOf)));
      const kept = pixel.history.filter((s) => errorOf(s) <= most);
      scenes = kept.length < LEAST_FITTED ? pixel.history : kept;
    }
    pixel.fitted = pixel.history.length;
  }

  /** Chooses the like pixels of a pixel and measures its usual difference from them. */
  #choose(p: number): void {
    const times = this.#timesMs.length;
    const pixel = this.#pixels[p]!;
    const { history } = pixel;
    const distances: { q: number; distance: number }[] = [];
    for (const q of this.#candidates) {
      if (this.#isNear(p, q, APART) || this.#pixels[q]!.change !== null) continue;
      let n = 0;
      let sum = 0;
      for (const s of history) {
        if (this.#isHistory[q * times + s] === 0) continue;
        sum += Math.min(MOST_DIFFERENCE, Math.abs(this.#at(p, s) - this.#at(q, s)));
        n += 1;
      }
      if (n >= LEAST_SHARED) distances.push({ q, distance: sum / n });
    }
    pixel.chosen = history.length;
    if (distances.length < LEAST_LIKES) return;
    distances.sort((a, b) => a.distance - b.distance);
    pixel.likes = distances.slice(0, LIKES).map(({ q }) => q);
    const differences = history
      .map((s) => this.#at(p, s) - this.#pastLevel(pixel.likes, s))
      .filter((difference) => !Number.isNaN(difference));
    pixel.offset = differences.length === 0 ? 0 : median(differences);
    const deviation =
      differences.length === 0
        ? 0
        : MAD_TO_SIGMA * median(differences.map((d) => Math.abs(d - pixel.offset)));
    const n = differences.length;
    const variance = (n * deviation ** 2 + PRIOR_WEIGHT * PRIOR_SIGMA ** 2) / (n + PRIOR_WEIGHT);
    pixel.sigma = Math.max(LEAST_SIGMA, Math.sqrt(variance));
    const levels = history.map((s) => this.#at(p, s)).toSorted((a, b) => a - b);
    pixel.high = levels[Math.min(levels.length - 1, Math.floor(HIGH * levels.length))]!;
  }

  #isNear(p: number, q: number, within: number): boolean {
    const rows = Math.floor(p / this.#width) - Math.floor(q / this.#width);
    return Math.abs(rows) <= within && Math.abs((p % this.#width) - (q % this.#width)) <= within;
  }

  /** Median and spread in a scene of the like pixels that do not depart themselves. */
  #likeLevel(likes: readonly number[], t: number): readonly [level: number, spread: number] {
    const values = likes
      .filter((q) => !this.#pixels[q]!.isSuspected && this.#pixels[q]!.change === null)
      .map((q) => this.#at(q, t))
      .filter((value) => !Number.isNaN(value));
    if (values.length < LEAST_LIKES) return [Number.NaN, Number.NaN];
    const level = median(values);
    return [level, MAD_TO_SIGMA * median(values.map((value) => Math.abs(value - level)))];
  }

  /** Median of the like pixels in a scene of their history. */
  #pastLevel(likes: readonly number[], s: number): number {
    const times = this.#timesMs.length;
    const values = likes.filter((q) => this.#isHistory[q * times + s] === 1).map((q) => this.#at(q, s));
    return values.length < LEAST_LIKES ? Number.NaN : median(values);
  }

  #confirm(p: number, t: number): void {
    const pixel = this.#pixels[p]!;
    const { sums, open } = pixel;
    const side = sums[0] >= sums[1] ? 0 : 1;
    const sign = side === 0 ? -1 : 1;
    const isSupported = this.#supporters(p, side, t) >= TOGETHER_PIXELS;
    const [certain, drop] = isSupported ? [CERTAIN.together, DROP.together] : [CERTAIN.alone, DROP.alone];
    if (sums[side] <= certain || open.length < LOWS) return;
    const latest = open.slice(-LOWS);
    const size = median(latest.map(({ residual }) => sign * residual));
    if (size < drop || latest.some(({ residual, z }) => sign * residual <= drop / 2 || sign * z <= 1)) return;
    const isLow = Array.from({ length: PARTS }, () => undefined);
    pixel.change = { side, onset: onsetOf(open.map(({ residual }) => residual)), told: t, drop: size, isLow };
    pixel.change.onset = open[pixel.change.onset]!.scene;
  }

  /** Number of neighbours that depart to the same side, or changed lately. */
  #supporters(p: number, side: 0 | 1, t: number): number {
    return this.#around(p).filter((q) => {
      const { change, sums } = this.#pixels[q]!;
      if (change === null) return sums[side] > SUSPECTED;
      return change.side === side && this.#timesMs[t]! - this.#timesMs[change.told]! < LINKED_MS;
    }).length;
  }

  #around(p: number): number[] {
    const [row, column] = [Math.floor(p / this.#width), p % this.#width];
    const near: number[] = [];
    for (let r = Math.max(0, row - 1); r <= Math.min(this.#height - 1, row + 1); r++)
      for (let c = Math.max(0, column - 1); c <= Math.min(this.#width - 1, column + 1); c++)
        if (r !== row || c !== column) near.push(r * this.#width + c);
    return near;
  }

  /** Ends a change when the pixel is back at its own level of the same seasons before it. */
  #awaitEnd(p: number, t: number): void {
    const pixel = this.#pixels[p]!;
    const change = pixel.change!;
    const phase = this.#years[t]! % 1;
    const same = pixel.history.filter((s) => {
      const apart = Math.abs((this.#years[s]! % 1) - phase);
      return Math.min(apart, 1 - apart) < SEASON;
    });
    if (same.length > 0) {
      const departure = this.#at(p, t) - median(same.map((s) => this.#at(p, s)));
      change.isLow[Math.floor(phase * PARTS)] =
        (change.side === 0 ? -departure : departure) > change.drop / 2;
    }
    if (this.#timesMs[t]! - this.#timesMs[change.onset]! <= JULIAN_YEAR_MS) return;
    const seen = change.isLow.filter((low) => low !== undefined);
    if (seen.length < PARTS / 6 || seen.filter((low) => low).length >= LOW_PARTS * seen.length) return;
    Object.assign(pixel, { change: null, isSuspected: false, open: [], sums: [0, 0] });
  }

  /** Changes that stand, of objects of `least` pixels or more. */
  standing(least: number): Detection[] {
    const found: Detection[] = [];
    const seen = new Set<number>();
    for (const p of this.#pixels.keys()) {
      if (this.#pixels[p]!.change === null || seen.has(p)) continue;
      const object = new Set([p]);
      for (const member of object)
        for (const q of this.#around(member)) if (this.#isOneObject(member, q)) object.add(q);
      for (const member of object) seen.add(member);
      if (object.size < least) continue;
      for (const pixel of object) {
        const { onset, told } = this.#pixels[pixel]!.change!;
        found.push({ pixel, onsetMs: this.#timesMs[onset]!, toldMs: this.#timesMs[told]! });
      }
    }
    return found;
  }

  #isOneObject(p: number, q: number): boolean {
    const [a, b] = [this.#pixels[p]!.change!, this.#pixels[q]!.change];
    if (b === null || a.side !== b.side) return false;
    return Math.abs(this.#timesMs[a.onset]! - this.#timesMs[b.onset]!) <= LINKED_MS;
  }
}

/**
 * Position of the onset in a list of residuals: the change point by least squares. The level before it is not 0, because
 * the residuals before it were selected as low.
 */
function onsetOf(residuals: readonly number[]): number {
  const level = median(residuals.slice(-4));
  let [best, onset] = [Number.POSITIVE_INFINITY, 0];
  for (let at = 0; at <= residuals.length - LOWS; at++) {
    const squares = residuals.reduce((sum, r, i) => sum + (r - (i < at ? ONSET * level : level)) ** 2, 0);
    if (squares < best) [best, onset] = [squares, at];
  }
  return onset;
}

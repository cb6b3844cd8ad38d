import { PixelBaseline } from '../pixel/baseline.ts';
import { commonFalls, fallSlot, partOf, startFalls } from './common-fall.ts';
import {
  addHistograms,
  binnedDeviation,
  binnedQuantile,
  countValue,
  createHistograms,
  totalCount,
} from './histogram.ts';
import type { Histograms } from './histogram.ts';
import type { SceneLevels } from './like-pixels.ts';
import { MAD_TO_SIGMA, medianInPlace } from '../../numerics/median.ts';
import type { MetricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import { sceneFrame } from './scene-frame.ts';
import { isSeen, stripPixels } from '../stack.ts';
import type { PixelStrip, StackSpec } from '../stack.ts';
import type { StateTape, StripTapes } from '../pixel/state-tape.ts';

/** Lattice of cells over a grid, `columns` x `rows`, each `side` pixels wide and high. */
interface Lattice {
  readonly side: number;
  readonly columns: number;
  readonly rows: number;
}

/** Pass 3: counts of departures from a pixel's own expectation, by cell and scene. Plain data; merge the parts of several threads. */
export interface ContextSurvey {
  /** First scene that is surveyed; the counts are of the scenes from it on. */
  readonly since: number;
  readonly lattice: Lattice;
  readonly levels: SceneLevels;
  readonly departures: Histograms;
  /** Those of all pixels of the grid, by scene, and how many were observed in each cell, `[cell][scene]`. */
  readonly allDepartures: Histograms;
  readonly observed: Uint32Array;
  /** Those of pixels with a short history, by class and scene. */
  readonly likeDepartures: Histograms;
  /** Those of each phenology class in each part of the grid; see `startFalls`. */
  readonly falls: Histograms;
}

/**
 * What the neighbourhood of each cell did in each scene, `[cell][scene]`: everything a pixel needs to know of the others.
 * Plain data, so it crosses threads.
 */
export interface SceneContext {
  readonly lattice: Lattice;
  readonly levels: SceneLevels;
  /** Median departure of the neighbourhood from its own expectation [metric unit]; NaN where too few were observed. */
  readonly shift: Float64Array;
  /** Standard deviation of those departures between pixels, robust [metric unit]; NaN likewise. */
  readonly spread: Float64Array;
  /** Median of `spread` over the scenes up to this one; the noise floor where there is none. */
  readonly typical: Float64Array;
  /** Spread and typical spread of the pixels of each class with a short history, `[class][scene]`; likewise. */
  readonly likeSpread: Float64Array;
  readonly likeTypical: Float64Array;
  /** What like pixels far away fell by, `[part][class][scene]` [metric unit]; see `commonFalls`. */
  readonly commonFall: Float64Array;
}

function latticeOf(spec: StackSpec): Lattice {
  const { width, height } = spec;
  let side: number = PARAMETERS.cellPixels;
  while (Math.ceil(width / side) * Math.ceil(height / side) > PARAMETERS.maxCells) side *= 2;
  return { side, columns: Math.ceil(width / side), rows: Math.ceil(height / side) };
}

/** Cell of a pixel. */
export function cellOf(lattice: Lattice, width: number, pixel: number): number {
  const row = Math.floor(Math.floor(pixel / width) / lattice.side);
  return row * lattice.columns + Math.floor((pixel % width) / lattice.side);
}

/** Rows and columns from one surveyed pixel to the next: few pixels tell what the weather did, and each costs a baseline. */
function surveyStep({ width, height }: StackSpec, { side }: Lattice): number {
  const pixels = Math.min(side * side, width * height);
  return Math.max(1, Math.floor(Math.sqrt(pixels / PARAMETERS.surveyedPixels)));
}

/** Starts the survey of departures. */
export function startContextSurvey(
  spec: StackSpec,
  traits: MetricTraits,
  levels: SceneLevels,
  since = 0,
): ContextSurvey {
  const lattice = latticeOf(spec);
  const [low, high] = traits.range;
  const half = (high - low) / 2;
  const scenes = spec.timesMs.length - since;
  const size = lattice.columns * lattice.rows * scenes;
  const likeSize = PARAMETERS.likeClasses * scenes;
  return {
    since,
    lattice,
    levels,
    departures: createHistograms(size, -half, half, PARAMETERS.histogramBins),
    allDepartures: createHistograms(scenes, -half, half, PARAMETERS.histogramBins),
    observed: new Uint32Array(size),
    likeDepartures: createHistograms(likeSize, -half, half, PARAMETERS.histogramBins),
    falls: startFalls(spec, traits, scenes),
  };
}

/**
 * Counts the departures of a strip's surveyed pixels; any order, each pixel once.
 * @param tapes the strip's state after the scenes before the survey, and where it is to be kept after the last
 */
export function surveyContext(
  survey: ContextSurvey,
  spec: StackSpec,
  strip: PixelStrip,
  tapes: StripTapes = {},
): void {
  const { since } = survey;
  const times = spec.timesMs.length;
  const pixels = stripPixels(spec, strip);
  const scenes = times - since;
  const baseline = new PixelBaseline(sceneFrame(spec, survey.levels), 'survey');
  let last = -1;
  let streak = 0;
  const carry = (tape: StateTape, p: number): void => {
    tape.beginRecord();
    baseline.carry(tape, strip.values, p * times);
    last = tape.scene(last);
    streak = tape.whole(streak);
    if (!tape.isPlaying) tape.endRecord(true);
  };
  const step = surveyStep(spec, survey.lattice);
  for (let p = 0; p < pixels; p++) {
    const pixel = strip.from + p;
    if (Math.floor(pixel / spec.width) % step !== 0 || (pixel % spec.width) % step !== 0) continue;
    if (tapes.left !== undefined && !isSeen(strip.values, p * times + since, (p + 1) * times)) {
      tapes.left.passRecord(tapes.kept);
      continue;
    }
    // Where the counts of scene 0 would be.
    const first = cellOf(survey.lattice, spec.width, pixel) * scenes - since;
    const part = partOf(spec, pixel);
    baseline.clear();
    last = -1;
    streak = 0;
    if (tapes.left !== undefined) carry(tapes.left, p);
    for (let t = since; t < times; t++) {
      const value = strip.values[p * times + t]!;
      if (!Number.isFinite(value)) continue;
      if (last >= 0 && spec.timesMs[t]! - spec.timesMs[last]! > PARAMETERS.maxGapMs) baseline.clear();
      last = t;
      if (baseline.predict(t)) {
        const departure = value - baseline.expected;
        survey.observed[first + t] = survey.observed[first + t]! + 1;
        countValue(survey.allDepartures, t - since, departure);
        const { phenology } = baseline;
        if (phenology >= 0 && survey.falls.counts.length > 0)
          countValue(survey.falls, fallSlot(part, phenology) * scenes + t - since, departure);
        streak = streakAfter(streak, departure, baseline);
        if (Math.abs(streak) < PARAMETERS.flagRun.other) countValue(survey.departures, first + t, departure);
        if (baseline.kind === 'neighbourhood') {
          const likes = (baseline.classStart / times) * scenes - since;
          countValue(survey.likeDepartures, likes + t, value - baseline.expected);
        }
      }
      baseline.add(t, value, Number.NaN);
    }
    if (tapes.kept !== undefined) carry(tapes.kept, p);
  }
}

/** Departures in a row to one side, negative for falls, after one more. A short history cannot tell them from its own ups and downs. */
function streakAfter(streak: number, departure: number, { kind, fit }: PixelBaseline): number {
  if (kind !== 'harmonic' || Math.abs(departure) <= PARAMETERS.rejectBeyond * fit.sigma) return 0;
  const side = Math.sign(departure);
  return streak * side > 0 ? streak + side : side;
}

/** Adds the counts of another part of the same grid. */
export function mergeContextSurvey(survey: ContextSurvey, other: ContextSurvey): void {
  addHistograms(survey.departures, other.departures);
  addHistograms(survey.likeDepartures, other.likeDepartures);
  addHistograms(survey.allDepartures, other.allDepartures);
  addHistograms(survey.falls, other.falls);
  for (let i = 0; i < other.observed.length; i++)
    survey.observed[i] = survey.observed[i]! + other.observed[i]!;
}

/**
 * Turns the counts into what each cell's neighbourhood did. Uses nothing later than each scene.
 * @param before what those did in the scenes before the survey
 */
export function sceneContext(
  survey: ContextSurvey,
  spec: StackSpec,
  traits: MetricTraits,
  before?: SceneContext,
): SceneContext {
  const { lattice, departures, since } = survey;
  const times = spec.timesMs.length;
  const cells = lattice.columns * lattice.rows;
  const shift = new Float64Array(cells * times).fill(Number.NaN);
  const spread = new Float64Array(cells * times).fill(Number.NaN);
  const typical = new Float64Array(cells * times).fill(traits.noiseFloor);
  const pooled = new Uint32Array(departures.bins);
  const spreads = new Float64Array(times);
  const sorted = new Float64Array(times);
  for (let cell = 0; cell < cells; cell++) {
    let known = 0;
    if (before !== undefined) {
      const earlier = [cell * since, (cell + 1) * since] as const;
      shift.set(before.shift.subarray(...earlier), cell * times);
      spread.set(before.spread.subarray(...earlier), cell * times);
      typical.set(before.typical.subarray(...earlier), cell * times);
      known = numbersOf(before.spread.subarray(...earlier), spreads);
    }
    for (let t = since; t < times; t++) {
      const slot = cell * times + t;
      const total = poolUndisturbed(survey, cell, times - since, t - since, pooled);
      if (total >= PARAMETERS.minNeighbours) {
        const centre = binnedQuantile(pooled, departures.low, departures.binWidth, 0.5);
        const deviation = binnedDeviation(pooled, departures.low, departures.binWidth, centre);
        shift[slot] = centre;
        spread[slot] = Math.max(traits.noiseFloor, MAD_TO_SIGMA * deviation);
        spreads[known] = spread[slot];
        known += 1;
      }
      sorted.set(spreads.subarray(0, known));
      if (known > 0) typical[slot] = medianInPlace(sorted, known);
    }
  }
  const like = likeSpreads(survey, times, traits, before);
  const commonFall = commonFalls(survey.falls, times, since, traits, before?.commonFall);
  return { lattice, levels: survey.levels, shift, spread, typical, ...like, commonFall };
}

/**
 * Sums the counts of the undisturbed pixels around a cell into `pooled`; returns their total. Where hardly any pixel is
 * undisturbed, weather moved them all rather than many changes at once: then all pixels of the grid tell.
 */
function poolUndisturbed(
  survey: ContextSurvey,
  cell: number,
  times: number,
  scene: number,
  pooled: Uint32Array,
): number {
  const { bins, counts } = survey.allDepartures;
  const total = poolNeighbours(survey, cell, times, scene, pooled);
  if (total >= PARAMETERS.minUndisturbedShare * observedAround(survey, cell, times, scene)) return total;
  pooled.set(counts.subarray(scene * bins, (scene + 1) * bins));
  return totalCount(pooled);
}

/** Pixels observed in a cell and the eight around. */
function observedAround(
  { lattice, observed }: ContextSurvey,
  cell: number,
  times: number,
  scene: number,
): number {
  let total = 0;
  for (const around of cellsAround(lattice, cell)) total += observed[around * times + scene]!;
  return total;
}

/** Sums the counts of a cell and the eight around into `pooled`; returns their total. */
function poolNeighbours(
  survey: ContextSurvey,
  cell: number,
  times: number,
  scene: number,
  pooled: Uint32Array,
): number {
  const { bins, counts } = survey.departures;
  let total = 0;
  pooled.fill(0);
  for (const around of cellsAround(survey.lattice, cell)) {
    const from = (around * times + scene) * bins;
    for (let bin = 0; bin < bins; bin++) {
      const count = counts[from + bin]!;
      pooled[bin] = pooled[bin]! + count;
      total += count;
    }
  }
  return total;
}

/** A cell and the up to eight around. */
function cellsAround({ columns, rows }: Lattice, cell: number): number[] {
  const row = Math.floor(cell / columns);
  const column = cell % columns;
  const around: number[] = [];
  for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r++) {
    for (let c = Math.max(0, column - 1); c <= Math.min(columns - 1, column + 1); c++)
      around.push(r * columns + c);
  }
  return around;
}

/** Copies what is a number to the front of `out`. Returns how many there are. */
function numbersOf(values: Float64Array, out: Float64Array): number {
  let n = 0;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    out[n] = value;
    n += 1;
  }
  return n;
}

/** Spread between the pixels of each class about their own level, scene by scene. */
function likeSpreads(
  { since, likeDepartures: { bins, low, binWidth, counts } }: ContextSurvey,
  times: number,
  traits: MetricTraits,
  before: SceneContext | undefined,
): { likeSpread: Float64Array; likeTypical: Float64Array } {
  const likeSpread = new Float64Array(PARAMETERS.likeClasses * times).fill(Number.NaN);
  const likeTypical = new Float64Array(PARAMETERS.likeClasses * times).fill(traits.noiseFloor);
  const spreads = new Float64Array(times);
  const sorted = new Float64Array(times);
  for (let c = 0; c < PARAMETERS.likeClasses; c++) {
    let known = 0;
    if (before !== undefined) {
      const earlier = [c * since, (c + 1) * since] as const;
      likeSpread.set(before.likeSpread.subarray(...earlier), c * times);
      likeTypical.set(before.likeTypical.subarray(...earlier), c * times);
      known = numbersOf(before.likeSpread.subarray(...earlier), spreads);
    }
    for (let t = since; t < times; t++) {
      const slot = c * times + t;
      const counted = c * (times - since) + t - since;
      const scene = counts.subarray(counted * bins, (counted + 1) * bins);
      if (totalCount(scene) >= PARAMETERS.minLikePixels) {
        const centre = binnedQuantile(scene, low, binWidth, 0.5);
        likeSpread[slot] = Math.max(
          traits.noiseFloor,
          MAD_TO_SIGMA * binnedDeviation(scene, low, binWidth, centre),
        );
        spreads[known] = likeSpread[slot];
        known += 1;
      }
      sorted.set(spreads.subarray(0, known));
      if (known > 0) likeTypical[slot] = medianInPlace(sorted, known);
    }
  }
  return { likeSpread, likeTypical };
}

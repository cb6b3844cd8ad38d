import { PixelBaseline } from './baseline.ts';
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
import { MAD_TO_SIGMA, medianInPlace } from './median.ts';
import type { MetricTraits } from './metric.ts';
import { PARAMETERS } from './parameters.ts';
import { sceneFrame } from './scene-frame.ts';
import { stripPixels } from './stack.ts';
import type { PixelStrip, StackSpec } from './stack.ts';

/** Lattice of cells over a grid, `columns` x `rows`, each `side` pixels wide and high. */
interface Lattice {
  readonly side: number;
  readonly columns: number;
  readonly rows: number;
}

/** Pass 3: counts of departures from each pixel's own expectation, by cell and scene. Plain data; merge the parts of several threads. */
export interface ContextSurvey {
  readonly lattice: Lattice;
  readonly levels: SceneLevels;
  readonly departures: Histograms;
  /** Those of all pixels of the grid, by scene, and how many were observed in each cell, `[cell][scene]`. */
  readonly allDepartures: Histograms;
  readonly observed: Uint32Array;
  /** Those of pixels with a short history, by class and scene. */
  readonly likeDepartures: Histograms;
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

/** Starts the survey of departures. */
export function startContextSurvey(
  spec: StackSpec,
  traits: MetricTraits,
  levels: SceneLevels,
): ContextSurvey {
  const lattice = latticeOf(spec);
  const [low, high] = traits.range;
  const half = (high - low) / 2;
  const size = lattice.columns * lattice.rows * spec.timesMs.length;
  const likeSize = PARAMETERS.likeClasses * spec.timesMs.length;
  return {
    lattice,
    levels,
    departures: createHistograms(size, -half, half, PARAMETERS.histogramBins),
    allDepartures: createHistograms(spec.timesMs.length, -half, half, PARAMETERS.histogramBins),
    observed: new Uint32Array(size),
    likeDepartures: createHistograms(likeSize, -half, half, PARAMETERS.histogramBins),
  };
}

/** Counts the departures of one strip; any order, each pixel once. */
export function surveyContext(survey: ContextSurvey, spec: StackSpec, strip: PixelStrip): void {
  const times = spec.timesMs.length;
  const pixels = stripPixels(spec, strip);
  const baseline = new PixelBaseline(sceneFrame(spec, survey.levels));
  for (let p = 0; p < pixels; p++) {
    const first = cellOf(survey.lattice, spec.width, strip.from + p) * times;
    baseline.clear();
    let last = Number.NaN;
    let streak = 0;
    for (let t = 0; t < times; t++) {
      const value = strip.values[p * times + t]!;
      if (!Number.isFinite(value)) continue;
      if (spec.timesMs[t]! - last > PARAMETERS.maxGapMs) baseline.clear();
      last = spec.timesMs[t]!;
      if (baseline.predict(t)) {
        const departure = value - baseline.expected;
        survey.observed[first + t] = survey.observed[first + t]! + 1;
        countValue(survey.allDepartures, t, departure);
        streak = streakAfter(streak, departure, baseline);
        if (Math.abs(streak) < PARAMETERS.flagRun.harmonic)
          countValue(survey.departures, first + t, departure);
        if (baseline.kind === 'neighbourhood') {
          countValue(survey.likeDepartures, baseline.classStart + t, value - baseline.expected);
        }
      }
      baseline.add(t, value, Number.NaN);
    }
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
  for (let i = 0; i < other.observed.length; i++)
    survey.observed[i] = survey.observed[i]! + other.observed[i]!;
}

/** Turns the counts into what each cell's neighbourhood did. Uses nothing later than each scene. */
export function sceneContext(survey: ContextSurvey, spec: StackSpec, traits: MetricTraits): SceneContext {
  const { lattice, departures } = survey;
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
    for (let t = 0; t < times; t++) {
      const slot = cell * times + t;
      const total = poolUndisturbed(survey, cell, times, t, pooled);
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
  const like = likeSpreads(survey.likeDepartures, times, traits);
  return { lattice, levels: survey.levels, shift, spread, typical, ...like };
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

/** Spread between the pixels of each class about their own level, scene by scene. */
function likeSpreads(
  { bins, low, binWidth, counts }: Histograms,
  times: number,
  traits: MetricTraits,
): { likeSpread: Float64Array; likeTypical: Float64Array } {
  const likeSpread = new Float64Array(PARAMETERS.likeClasses * times).fill(Number.NaN);
  const likeTypical = new Float64Array(PARAMETERS.likeClasses * times).fill(traits.noiseFloor);
  const spreads = new Float64Array(times);
  const sorted = new Float64Array(times);
  for (let c = 0; c < PARAMETERS.likeClasses; c++) {
    let known = 0;
    for (let t = 0; t < times; t++) {
      const slot = c * times + t;
      const scene = counts.subarray(slot * bins, (slot + 1) * bins);
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

import { MAD_TO_SIGMA, medianInPlace } from '../../numerics/median.ts';
import type { MetricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import type { StackSpec } from '../stack.ts';
import { commonFalls } from './common-fall.ts';
import type { ContextSurvey } from './context-survey.ts';
import { binnedDeviation, binnedQuantile, totalCount } from './histogram.ts';
import { cellsAround, type Lattice } from './lattice.ts';
import { likeBank } from './bank-builder.ts';
import type { LikeBank } from './like-bank.ts';
import type { SceneLevels } from './like-pixels.ts';
import { type PeerDepartures, peerDepartures } from './peers.ts';

/**
 * Departures of the neighbourhood of each cell in each scene, `[cell][scene]`. This is all that the monitor of a
 * pixel needs to know about other pixels. Plain data that can be sent to other threads.
 */
export interface SceneContext {
  readonly lattice: Lattice;
  readonly levels: SceneLevels;
  /** Median departure of the pixels of the neighbourhood [metric unit]; NaN where too few pixels were observed. */
  readonly shift: Float64Array;
  /** Robust standard deviation of these departures [metric unit]; NaN where too few pixels were observed. */
  readonly spread: Float64Array;
  /** Median of `spread` over the scenes up to this one; the noise floor where `spread` was NaN in all these scenes. */
  readonly typical: Float64Array;
  /** `spread` and `typical` for those pixels of a class whose own history is short, `[class][scene]`. */
  readonly likeSpread: Float64Array;
  readonly likeTypical: Float64Array;
  /** Common falls of like pixels far away, `[part][class][scene]` [metric unit]; see `commonFalls`. */
  readonly commonFall: Float64Array;
  /** Departures of like pixels far away; empty if the metric is not seasonal or the grid is small. */
  readonly peers: PeerDepartures;
  /** Bank of like pixels; it has no pixels if the metric is not seasonal. */
  readonly bank: LikeBank;
}

/**
 * Computes the context from the counts. The context of a scene does not depend on later scenes.
 * @param before context of the scenes before the survey
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
  const peers = peerDepartures(survey.peers, survey.falls, times, since, traits, before?.peers);
  const bank = likeBank(spec, traits, survey.bank, before?.bank);
  return { lattice, levels: survey.levels, shift, spread, typical, ...like, commonFall, peers, bank };
}

/**
 * Sums the counts of the undisturbed pixels in a cell and the cells around it into `pooled`. Returns the total. If the
 * undisturbed share is below `minUndisturbedShare`, all surveyed pixels of the grid are used, disturbed ones too: the
 * cause is then weather and not many changes at once.
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

/** Returns the number of pixels observed in a cell and the up to eight cells around it. */
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

/** Sums the counts of a cell and the up to eight cells around it into `pooled`. Returns the total. */
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

/** Copies the values that are not NaN to the beginning of `out`. Returns their number. */
function numbersOf(values: Float64Array, out: Float64Array): number {
  let n = 0;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    out[n] = value;
    n += 1;
  }
  return n;
}

/**
 * Computes `likeSpread` and `likeTypical` of the context: the spread of the departures of each class in each scene.
 */
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

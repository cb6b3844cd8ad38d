import { MAD_TO_SIGMA, medianInPlace } from '../../numerics/median.ts';
import type { MetricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import { PHENOLOGY_CLASSES } from '../pixel/phenology-class.ts';
import { fallSlot, PARTS, partsApart } from './common-fall.ts';
import {
  addSparse,
  binnedDeviation,
  binnedQuantile,
  sparseCounts,
  totalCount,
  type Histograms,
} from './histogram.ts';

/**
 * Departures of like pixels far away, `[part][class][scene]` [metric unit]: pixels of the same phenology class in the
 * parts of the grid that do not touch the given part, so that a change at a pixel does not lower its own standard.
 * Plain data.
 */
export interface PeerDepartures {
  /** Median departure; NaN where too few pixels were observed. */
  readonly shift: Float64Array;
  /** Robust standard deviation of the departures, at least the noise floor; NaN where `shift` is NaN. */
  readonly spread: Float64Array;
  /** Median of `spread` over the scenes up to this one; the noise floor before the first. */
  readonly typical: Float64Array;
  /**
   * Median departure of those like pixels that have not fallen; NaN where they are less than `minUndisturbedShare` of
   * all. It measures the weather where most like pixels were cleared.
   */
  readonly stayed: Float64Array;
}

const SLOTS = PARTS * PARTS * PHENOLOGY_CLASSES;
const RANKS = PARAMETERS.likeClasses;

/** A group of pixels: parts of the grid, phenology classes, and the minimum number of observed pixels. */
interface Group {
  readonly parts: readonly number[];
  readonly classes: readonly number[];
  readonly least: number;
}

const ALL_PARTS = Array.from({ length: PARTS * PARTS }, (_, part) => part);

/**
 * Groups of like pixels in order of preference. With too few pixels of the same class, all pixels with the same rank
 * in dormant scenes are used: this rank separates perennial from seasonal cover. With too few of them far away, those
 * of the whole grid are used; then twice as many must be observed, because the changed pixels are among them.
 */
function groupsOf(part: number, phenology: number): readonly Group[] {
  const apart = partsApart(part);
  const dormant = phenology % RANKS;
  const alike = Array.from({ length: RANKS }, (_, green) => green * RANKS + dormant);
  const near = Array.from({ length: PHENOLOGY_CLASSES }, (_, other) => other).filter(
    (other) => Math.abs((other % RANKS) - dormant) <= 1,
  );
  const least = PARAMETERS.minLikePixels;
  return [
    { parts: apart, classes: [phenology], least },
    { parts: apart, classes: alike, least },
    { parts: ALL_PARTS, classes: alike, least },
    { parts: ALL_PARTS, classes: near, least },
  ];
}

/**
 * Computes the departures of like pixels from the counts of undisturbed pixels, `[part][class][scene]`.
 * @param peers counts of the undisturbed pixels
 * @param all the same counts of all pixels, disturbed ones too
 * @param times number of scenes of the stack
 * @param since first counted scene
 * @param before departures in the scenes before `since`
 */
export function peerDepartures(
  peers: Histograms,
  all: Histograms,
  times: number,
  since: number,
  { noiseFloor }: MetricTraits,
  before: PeerDepartures | undefined,
): PeerDepartures {
  const { bins, low, binWidth, counts } = peers;
  const empty = new Float64Array(0);
  if (counts.length === 0) return before ?? { shift: empty, spread: empty, typical: empty, stayed: empty };
  const scenes = times - since;
  const shift = new Float64Array(SLOTS * times).fill(Number.NaN);
  const spread = new Float64Array(SLOTS * times).fill(Number.NaN);
  const typical = new Float64Array(SLOTS * times).fill(noiseFloor);
  const stayed = new Float64Array(SLOTS * times).fill(Number.NaN);
  const pooled = new Uint32Array(bins);
  const spreads = new Float64Array(times);
  const sorted = new Float64Array(times);
  const sparse = sparseCounts(peers);
  const { totals } = sparse;
  const observed = sparseCounts(all).totals;
  const countOf = (of: Uint32Array, { parts, classes }: Group, t: number): number => {
    let total = 0;
    for (const part of parts)
      for (const phenology of classes) total += of[fallSlot(part, phenology) * scenes + t]!;
    return total;
  };
  const pool = ({ parts, classes }: Group, t: number): void => {
    pooled.fill(0);
    for (const part of parts)
      for (const phenology of classes) addSparse(sparse, fallSlot(part, phenology) * scenes + t, pooled);
  };
  for (let slot = 0; slot < SLOTS; slot++) {
    const groups = groupsOf(Math.floor(slot / PHENOLOGY_CLASSES), slot % PHENOLOGY_CLASSES);
    let known = 0;
    if (before !== undefined) {
      const earlier = [slot * since, (slot + 1) * since] as const;
      shift.set(before.shift.subarray(...earlier), slot * times);
      spread.set(before.spread.subarray(...earlier), slot * times);
      typical.set(before.typical.subarray(...earlier), slot * times);
      stayed.set(before.stayed.subarray(...earlier), slot * times);
      for (const value of before.spread.subarray(...earlier))
        if (!Number.isNaN(value)) spreads[known++] = value;
    }
    for (let t = 0; t < scenes; t++) {
      const at = slot * times + since + t;
      const group = groups.find((each) => countOf(totals, each, t) >= each.least);
      if (group !== undefined) {
        pool(group, t);
        const centre = binnedQuantile(pooled, low, binWidth, 0.5);
        shift[at] = centre;
        spread[at] = Math.max(noiseFloor, MAD_TO_SIGMA * binnedDeviation(pooled, low, binWidth, centre));
        spreads[known++] = spread[at]!;
      }
      sorted.set(spreads.subarray(0, known));
      if (known > 0) typical[at] = medianInPlace(sorted, known);
      if (group === undefined) continue;
      const fallen = -PARAMETERS.outlierSigmas * typical[at]!;
      const total = countOf(observed, group, t);
      for (let bin = 0; bin < bins && low + (bin + 0.5) * binWidth < fallen; bin++) pooled[bin] = 0;
      if (totalCount(pooled) >= PARAMETERS.minUndisturbedShare * total)
        stayed[at] = binnedQuantile(pooled, low, binWidth, 0.5);
    }
  }
  return { shift, spread, typical, stayed };
}

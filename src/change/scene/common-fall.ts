import { binnedQuantile, createHistograms, totalCount, type Histograms } from './histogram.ts';
import type { MetricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import { PHENOLOGY_CLASSES } from '../pixel/phenology-class.ts';
import type { StackSpec } from '../stack.ts';

const PARTS = PARAMETERS.gridParts;

/** Part of the grid, of `gridParts` rows and columns, that a pixel lies in. */
export function partOf({ width, height }: StackSpec, pixel: number): number {
  const row = Math.floor((Math.floor(pixel / width) * PARTS) / height);
  return row * PARTS + Math.floor(((pixel % width) * PARTS) / width);
}

/** Slot of a part and a phenology class in arrays `[part][class]`. */
export function fallSlot(part: number, phenology: number): number {
  return part * PHENOLOGY_CLASSES + phenology;
}

/**
 * Empty counts of departures, `[part][class][scene]`; none of a metric that has no seasons, nor of a grid without like pixels.
 * @param scenes to be counted
 */
export function startFalls(
  { width, height }: StackSpec,
  { seasonal, range: [low, high] }: MetricTraits,
  scenes: number,
): Histograms {
  const half = (high - low) / 2;
  const isTold = seasonal && width * height >= PARAMETERS.minLikePixels;
  const size = isTold ? PARTS * PARTS * PHENOLOGY_CLASSES * scenes : 0;
  return createHistograms(size, -half, half, PARAMETERS.fallBins);
}

/**
 * By how much a quarter of a phenology class fell at least in each scene, in parts of the grid that do not touch the one that
 * is asked for, `[part][class][scene]` [metric unit]: negative, or 0 where it is within the noise or too few were seen. What is
 * so common among like pixels far away is weather or custom: drought, mowing, harvest. A fire near by is not among them.
 * @param times scenes of the stack
 * @param before what is known of the scenes before those that were counted
 */
export function commonFalls(
  { bins, low, binWidth, counts }: Histograms,
  times: number,
  since: number,
  { noiseFloor }: MetricTraits,
  before: Float64Array | undefined,
): Float64Array {
  if (counts.length === 0) return before ?? new Float64Array(0); // nothing to tell, or no scene more
  const scenes = times - since;
  const falls = new Float64Array(PARTS * PARTS * PHENOLOGY_CLASSES * times);
  const totals = Uint32Array.from({ length: counts.length / bins }, (_, h) =>
    totalCount(counts.subarray(h * bins, (h + 1) * bins)),
  );
  const pooled = new Uint32Array(bins);
  for (let part = 0; part < PARTS * PARTS; part++) {
    const apart = partsApart(part);
    for (let phenology = 0; phenology < PHENOLOGY_CLASSES; phenology++) {
      const slot = fallSlot(part, phenology);
      if (before !== undefined) falls.set(before.subarray(slot * since, (slot + 1) * since), slot * times);
      for (let t = 0; t < scenes; t++) {
        let total = 0;
        for (const other of apart) total += totals[fallSlot(other, phenology) * scenes + t]!;
        if (total < PARAMETERS.minLikePixels) continue;
        pooled.fill(0);
        for (const other of apart) {
          pool(counts, (fallSlot(other, phenology) * scenes + t) * bins, pooled);
        }
        const fall = binnedQuantile(pooled, low, binWidth, PARAMETERS.commonShare);
        if (fall < -PARAMETERS.sustainedFloors * noiseFloor) falls[slot * times + since + t] = fall;
      }
    }
  }
  return falls;
}

/** Adds the counts of the bins from one on. */
function pool(counts: Uint32Array, from: number, pooled: Uint32Array): void {
  for (let bin = 0; bin < pooled.length; bin++) pooled[bin] = pooled[bin]! + counts[from + bin]!;
}

/** Parts that do not touch one by side or corner. */
function partsApart(part: number): readonly number[] {
  const [row, column] = [Math.floor(part / PARTS), part % PARTS];
  return Array.from({ length: PARTS * PARTS }, (_, other) => other).filter(
    (other) => Math.abs(Math.floor(other / PARTS) - row) > 1 || Math.abs((other % PARTS) - column) > 1,
  );
}

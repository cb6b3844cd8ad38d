import {
  addSparse,
  binnedQuantile,
  createHistograms,
  type Histograms,
  type SparseCounts,
  sparseCounts,
} from './histogram.ts';
import type { MetricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import { PHENOLOGY_CLASSES } from '../pixel/phenology-class.ts';
import type { StackSpec } from '../stack.ts';

/** Number of rows and of columns of parts of the grid. */
export const PARTS = PARAMETERS.gridParts;

/** Returns the part of the grid that a pixel is in. The grid has `gridParts` rows of `gridParts` parts each. */
export function partOf({ width, height }: StackSpec, pixel: number): number {
  const row = Math.floor((Math.floor(pixel / width) * PARTS) / height);
  return row * PARTS + Math.floor(((pixel % width) * PARTS) / width);
}

/** Returns the index of a part and a phenology class in arrays `[part][class]`. */
export function fallSlot(part: number, phenology: number): number {
  return part * PHENOLOGY_CLASSES + phenology;
}

/**
 * Returns empty counts of departures, `[part][class][scene]`. Their size is 0 if the metric is not seasonal or the
 * grid has fewer than `minLikePixels` pixels.
 * @param scenes number of scenes to count
 * @param parts number of parts to count
 * @param step distance between the counted pixels [rows and columns]
 */
export function startFalls(
  { width, height }: StackSpec,
  { seasonal, range: [low, high] }: MetricTraits,
  scenes: number,
  parts = PARTS * PARTS,
  step = 1,
): Histograms {
  const half = (high - low) / 2;
  const isTold = seasonal && width * height >= PARAMETERS.minLikePixels;
  const size = isTold ? parts * PHENOLOGY_CLASSES * scenes : 0;
  const [columns, rows] = [width, height].map((edge) => Math.ceil(Math.ceil(edge / PARTS) / step));
  return createHistograms(size, -half, half, PARAMETERS.fallBins, columns! * rows!);
}

/**
 * Computes the common falls `[part][class][scene]` [metric unit], negative or 0. The common fall of a part is
 * computed from the parts of the grid that do not touch it: at least `commonShare` of the pixels of the phenology
 * class in those parts have fallen by this much or more in the scene. It is 0 if the fall is within the noise or too
 * few pixels were observed. A fall that is so common among like pixels far away is weather or land use: drought,
 * mowing, harvest. A fire nearby does not count.
 * @param times number of scenes of the stack
 * @param since first counted scene
 * @param before common falls of the scenes before `since`
 */
export function commonFalls(
  histograms: Histograms,
  times: number,
  since: number,
  { noiseFloor }: MetricTraits,
  before: Float64Array | undefined,
): Float64Array {
  const { bins, low, binWidth, counts } = histograms;
  if (counts.length === 0) return before ?? new Float64Array(0); // nothing is counted, or there is no new scene
  const scenes = times - since;
  const falls = new Float64Array(PARTS * PARTS * PHENOLOGY_CLASSES * times);
  const sparse = sparseCounts(histograms);
  const pooled = new Uint32Array(bins);
  for (let part = 0; part < PARTS * PARTS; part++) {
    const apart = partsApart(part);
    for (let phenology = 0; phenology < PHENOLOGY_CLASSES; phenology++) {
      const slot = fallSlot(part, phenology);
      if (before !== undefined) falls.set(before.subarray(slot * since, (slot + 1) * since), slot * times);
      for (let t = 0; t < scenes; t++) {
        if (!poolApart(sparse, apart, phenology, scenes, t, pooled)) continue;
        const fall = binnedQuantile(pooled, low, binWidth, PARAMETERS.commonShare);
        if (fall < -PARAMETERS.sustainedFloors * noiseFloor) falls[slot * times + since + t] = fall;
      }
    }
  }
  return falls;
}

/** Sums the counts of a class in some parts into `pooled`. Returns false, and leaves it, if they are too few. */
function poolApart(
  sparse: SparseCounts,
  apart: readonly number[],
  phenology: number,
  scenes: number,
  t: number,
  pooled: Uint32Array,
): boolean {
  let total = 0;
  for (const other of apart) total += sparse.totals[fallSlot(other, phenology) * scenes + t]!;
  if (total < PARAMETERS.minLikePixels) return false;
  pooled.fill(0);
  for (const other of apart) addSparse(sparse, fallSlot(other, phenology) * scenes + t, pooled);
  return true;
}

/** Returns the parts that do not touch a given part by side or corner. */
export function partsApart(part: number): readonly number[] {
  const [row, column] = [Math.floor(part / PARTS), part % PARTS];
  return Array.from({ length: PARTS * PARTS }, (_, other) => other).filter(
    (other) => Math.abs(Math.floor(other / PARTS) - row) > 1 || Math.abs((other % PARTS) - column) > 1,
  );
}

import { readRecords } from '../data-set.ts';
import type { SampleStack } from '../engine.ts';
import { seriesStack } from '../series-stack.ts';

/** Name of the set. */
export const SOMALIA_SET = 'bfast-ndvi-series';

/** Area of a pixel of MOD13C1, 0.05 degree [m2]. The single series is of a smaller pixel, which does not matter. */
export const SOMALIA_PIXEL_AREA_M2 = 5_500 ** 2;

const SCALE = 1e-4; // NDVI per stored unit: README

/** Reads each 0.05 degree pixel as a stack of one pixel. */
export function readSomalia(): Map<string, SampleStack> {
  const rows = readRecords(SOMALIA_SET, 'somalia_mod13c1_ndvi_x10000.csv');
  const timesMs = rows.map(({ date }) => Date.parse(date!));
  const names = Object.keys(rows[0]!).filter((name) => name !== 'date');
  return new Map(
    names.map((name) => {
      const metrics = { ndvi: rows.map((row) => Number(row[name]) * SCALE) };
      return [name, seriesStack([{ timesMs, metrics }], SOMALIA_PIXEL_AREA_M2)];
    }),
  );
}

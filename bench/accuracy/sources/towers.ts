import { readRecords } from '../data-set.ts';
import type { SampleStack } from '../engine.ts';
import { seriesStack } from '../series-stack.ts';

/** Name of the set. */
export const TOWERS_SET = 'fluxnet-mod13a1';

const PIXEL_AREA_M2 = 463.313 ** 2; // MOD13A1, nominally 500 m
const SCALE = 1e-4; // index per stored unit: README
const WORST_QUALITY = 1; // highest SummaryQA that is used: README

/**
 * Acquisition time [ms since the Unix epoch]. If `dayOfYear` is before the start of the composite, it is a day of
 * the next year.
 */
function acquiredMs(compositeStart: string, dayOfYear: number): number {
  const startMs = Date.parse(compositeStart);
  const year = new Date(startMs).getUTCFullYear();
  const ms = Date.UTC(year, 0, dayOfYear);
  return ms < startMs ? Date.UTC(year + 1, 0, dayOfYear) : ms;
}

/** Reads the NDVI of each flux tower as a stack of one pixel. */
export function readTowers(): Map<string, SampleStack> {
  const records = readRecords(TOWERS_SET, 'mod13a1.csv').filter(
    ({ SummaryQA }) => Number(SummaryQA) <= WORST_QUALITY,
  );
  return new Map(
    [...Map.groupBy(records, (row) => row['site']!)].map(([site, rows]) => {
      const timesMs = rows.map(({ date, DayOfYear }) => acquiredMs(date!, Number(DayOfYear)));
      const metrics = { ndvi: rows.map(({ NDVI }) => Number(NDVI) * SCALE) };
      return [site, seriesStack([{ timesMs, metrics }], PIXEL_AREA_M2)];
    }),
  );
}

import { readRecords } from '../data-set.ts';
import type { SampleStack } from '../engine.ts';
import { seriesStack, type PointSeries } from '../series-stack.ts';
import { MODIS_PIXEL_AREA_M2 } from './mato-grosso.ts';

/** Name of the set. */
export const SAMPLES_SET = 'matogrosso-modis-samples';

/** One labelled agricultural year of a place in Mato Grosso. */
export interface LabelledYear {
  readonly label: string;
  /** First date, by which samples of one year are grouped. */
  readonly start: string;
  readonly timesMs: readonly number[];
  readonly ndvi: readonly number[];
}

/** Reads the labelled years, in the order of the set. */
export function readLabelledYears(): LabelledYear[] {
  const rowsOf = Map.groupBy(readRecords(SAMPLES_SET, 'series.csv'), ({ id }) => id!);
  return readRecords(SAMPLES_SET, 'samples.csv').map(({ id, label, start_date }) => ({
    label: label!,
    start: start_date!,
    timesMs: rowsOf.get(id!)!.map(({ date }) => Date.parse(date!)),
    ndvi: rowsOf.get(id!)!.map(({ ndvi }) => Number(ndvi)),
  }));
}

/** Makes one stack of the samples of each year, because samples of different years have different dates. */
export function readSampleYears(): SampleStack[] {
  return [...Map.groupBy(readLabelledYears(), ({ start }) => start).values()].map((group) =>
    seriesStack(
      group.map(({ timesMs, ndvi }): PointSeries => ({ timesMs, metrics: { ndvi } })),
      MODIS_PIXEL_AREA_M2,
    ),
  );
}

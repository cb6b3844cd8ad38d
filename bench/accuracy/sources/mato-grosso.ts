import { readBands, readRecords } from '../data-set.ts';
import { median } from '../median.ts';
import type { SampleStack } from '../engine.ts';
import { normalisedDifference } from '../series-stack.ts';
import { DAY_MS } from '../../../src/base/time.ts';

/** Area of a pixel of MOD13Q1, nominally 250 m [m2]. */
export const MODIS_PIXEL_AREA_M2 = 231.656 ** 2;

const NODATA = -32_768; // value of missing pixels: README
const SCALE = 1e-4; // index and reflectance per stored unit: README
const DRY_DAYS = [160, 245] as const; // days of the year of the dry season: README of matogrosso-modis-conversion
const LEAST_FOREST = 0.66; // lowest NDVI of a forest in each dry season: the same README
const MOST_BARE = 0.5; // highest NDVI of converted ground in each dry season: the same README
const LEAST_FALL = 0.1; // fall of NDVI of a clearing that is smaller than its pixel: our choice
const LEAST_AFTER = 2; // dry seasons that show that a clearing lasts: the same README

/**
 * Reads a piece of the Mato Grosso cube: NDVI, EVI and moisture, (nir - mir) / (nir + mir). Each scene has one time:
 * the median over its pixels of the true acquisition date in `doy.tif`.
 */
export async function readMatoGrosso(set: string): Promise<SampleStack> {
  const composites = readRecords(set, 'dates.csv').map(({ date }) => Date.parse(date!));
  const files = ['ndvi', 'evi', 'nir', 'mir', 'doy'];
  const [ndvi, evi, nir, mir, doy] = await Promise.all(files.map((name) => readBands(set, `${name}.tif`)));
  const { width, height } = ndvi!;
  const times = composites.length;
  const timesMs = Float64Array.from(composites, (startMs, t) => acquiredMs(startMs, doy!.bands[t]!));
  const of = (read: (t: number, p: number) => number): Float32Array => {
    const values = new Float32Array(width * height * times);
    for (let p = 0; p < width * height; p++)
      for (let t = 0; t < times; t++) values[p * times + t] = read(t, p);
    return values;
  };
  const stored = (bands: readonly ArrayLike<number>[], t: number, p: number): number => {
    const value = bands[t]![p]!;
    return value === NODATA ? Number.NaN : value * SCALE;
  };
  const metrics = {
    ndvi: of((t, p) => stored(ndvi!.bands, t, p)),
    evi: of((t, p) => stored(evi!.bands, t, p)),
    moisture: of((t, p) => normalisedDifference(stored(nir!.bands, t, p), stored(mir!.bands, t, p))),
  };
  return { width, height, pixelAreaM2: MODIS_PIXEL_AREA_M2, timesMs, metrics };
}

/** Median acquisition time; a day of the year before the start of the composite is of the next year. */
function acquiredMs(startMs: number, daysOfYear: ArrayLike<number>): number {
  const year = new Date(startMs).getUTCFullYear();
  const times = Array.from(daysOfYear, (day) => {
    const ms = Date.UTC(year, 0, day);
    return ms < startMs ? Date.UTC(year + 1, 0, day) : ms;
  });
  return Math.round(median(times) / DAY_MS) * DAY_MS;
}

/** Dry seasons of a stack: their years, and the median NDVI of each pixel in each, `medians[pixel][season]`. */
export interface DrySeasons {
  readonly years: readonly number[];
  readonly medians: readonly (readonly number[])[];
}

/** Median NDVI of each pixel in each dry season that the record holds whole. */
export function drySeasons({ width, height, timesMs, metrics }: SampleStack): DrySeasons {
  const ndvi = metrics['ndvi']!;
  const scenesOf = new Map<number, number[]>();
  for (const [t, ms] of timesMs.entries()) {
    const year = new Date(ms).getUTCFullYear();
    const day = (ms - Date.UTC(year, 0)) / DAY_MS + 1;
    if (day >= DRY_DAYS[0] && day <= DRY_DAYS[1]) scenesOf.set(year, [...(scenesOf.get(year) ?? []), t]);
  }
  const years = [...scenesOf.keys()];
  const medians = Array.from({ length: width * height }, (_, p) =>
    years.map((year) =>
      median(
        scenesOf
          .get(year)!
          .map((t) => ndvi[p * timesMs.length + t]!)
          .filter((value) => !Number.isNaN(value)),
      ),
    ),
  );
  return { years, medians };
}

/** Pixels that are forest in every dry season. */
export function stableForest({ medians }: DrySeasons): number[] {
  return [...medians.keys()].filter((p) => medians[p]!.every((value) => value >= LEAST_FOREST));
}

/** Pixels that are open in every dry season. */
export function openLand({ medians }: DrySeasons): number[] {
  return [...medians.keys()].filter((p) => medians[p]!.every((value) => value <= MOST_BARE));
}

/**
 * Pixels that were wooded and were cleared, with the year of their first dry season without trees: each dry season
 * before is above what converted ground has, and clearly above each one after, of which there are at least two.
 */
export function clearings({ years, medians }: DrySeasons): Map<number, number> {
  const found = new Map<number, number>();
  for (const [p, seasons] of medians.entries())
    for (let bare = 1; bare <= seasons.length - LEAST_AFTER; bare++) {
      const before = Math.min(...seasons.slice(0, bare));
      if (before > MOST_BARE && before - Math.max(...seasons.slice(bare)) >= LEAST_FALL) {
        found.set(p, years[bare]!);
        break;
      }
    }
  return found;
}

import { Random } from '../../calibration/simulated-case.ts';
import { changeAt, type PixelTruth } from '../detections/detection.ts';
import type { SampleStack } from '../engine.ts';
import { minimumMappingUnit } from '../../../src/change/object/objects.ts';
import type { Ground, PixelSeries } from './ground.ts';
import { growObject, isApart } from './objects.ts';
import { DAY_MS, JULIAN_YEAR_MS } from '../../../src/base/time.ts';

const SIZES = [3, 60] as const; // number of pixels of a converted object, log-uniform
const CONVERTED = 0.15; // share of the land that is converted
const LAST_MS = 120 * DAY_MS; // the last conversion is this long before the end of the record
const CLEAR_DIFFERENCE = 0.12; // difference of NDVI that shows: three to five times the noise of a pixel
const SHOWN_SCENES = 3; // number of scenes that show a conversion: as for the monitor's first flag
const TRIES = 60; // number of objects that are tried, as the convertible ground may end before the share is reached

/** A stack of real series with conversions of known date. */
export interface SplicedStack {
  readonly ground: string;
  readonly stack: SampleStack;
  readonly truths: readonly PixelTruth[];
  /** Earliest time of a conversion: the reference methods monitor from here on [ms since the Unix epoch]. */
  readonly monitorMs: number;
  /**
   * For each converted pixel, the days from its conversion to the third scene in which it differs clearly from what it
   * would have been: no method that asks for three scenes can be sooner. NaN if there are no three.
   */
  readonly shownDays: readonly number[];
  /** Number of pixels of the object that each converted pixel belongs to, by pixel. */
  readonly objectSizes: ReadonlyMap<number, number>;
}

/**
 * Makes land of real series and converts objects of it: from a random date on, the series of an object's pixels go on
 * as those of other real pixels, of the cover that follows. A series is never moved within the year.
 * @param yearsBefore years before the first conversion
 */
export function spliceStack(ground: Ground, yearsBefore: number, seed: number): SplicedStack {
  const random = new Random(seed);
  const { timesMs, pixelAreaM2, name } = ground;
  const land = ground.land(random);
  const { width, height } = land;
  const monitorMs = timesMs[0]! + yearsBefore * JULIAN_YEAR_MS;
  const series = [...land.series];
  const truths = series.map((_, p): PixelTruth => (land.unknown.has(p) ? 'unknown' : 'stable'));
  const taken = new Uint8Array(width * height);
  const shownDays: number[] = [];
  const objectSizes = new Map<number, number>();
  const most = SIZES[1];
  const least = Math.max(SIZES[0], minimumMappingUnit(pixelAreaM2)); // smaller objects are not published
  let converted = 0;
  for (let i = 0; i < TRIES && converted < CONVERTED * width * height; i++) {
    const size = Math.round(least * (most / least) ** random.uniform());
    const isFree = (p: number): boolean => land.isConvertible[p] === 1 && isApart(width, height, p, taken);
    const object = growObject(width, height, size, isFree, random);
    if (object.length < least) continue;
    const changedMs = random.between(monitorMs, timesMs.at(-1)! - LAST_MS);
    const after = land.convertedTo();
    for (const p of object) {
      taken[p] = 1;
      const joined = spliced(series[p]!, after(), timesMs, changedMs);
      shownDays.push(daysToShow(series[p]!['ndvi']!, joined['ndvi']!, timesMs, changedMs));
      series[p] = joined;
      truths[p] = changeAt(changedMs);
      objectSizes.set(p, object.length);
    }
    converted += object.length;
  }
  const stack = stackOf(width, height, pixelAreaM2, timesMs, series);
  return { ground: name, stack, truths, monitorMs, shownDays, objectSizes };
}

function daysToShow(
  before: Float32Array,
  after: Float32Array,
  timesMs: Float64Array,
  changedMs: number,
): number {
  const shown = [...timesMs.keys()].filter((t) => Math.abs(after[t]! - before[t]!) >= CLEAR_DIFFERENCE);
  const last = shown[SHOWN_SCENES - 1];
  return last === undefined ? Number.NaN : (timesMs[last]! - changedMs) / DAY_MS;
}

function spliced(
  before: PixelSeries,
  after: PixelSeries,
  timesMs: Float64Array,
  changedMs: number,
): PixelSeries {
  const from = timesMs.findIndex((ms) => ms >= changedMs);
  return Object.fromEntries(
    Object.entries(before).map(([metric, values]) => {
      const joined = values.slice();
      joined.set(after[metric]!.subarray(from), from);
      return [metric, joined];
    }),
  );
}

/** Makes a stack of the series of its pixels. */
export function stackOf(
  width: number,
  height: number,
  pixelAreaM2: number,
  timesMs: Float64Array,
  series: readonly PixelSeries[],
): SampleStack {
  const metrics = Object.fromEntries(
    Object.keys(series[0]!).map((metric) => {
      const values = new Float32Array(width * height * timesMs.length);
      for (const [p, pixel] of series.entries()) values.set(pixel[metric]!, p * timesMs.length);
      return [metric, values];
    }),
  );
  return { width, height, pixelAreaM2, timesMs, metrics };
}

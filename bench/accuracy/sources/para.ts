import { readRecords } from '../data-set.ts';
import { median } from '../median.ts';
import { normalisedDifference } from '../series-stack.ts';

const SET = 'para-modis-deforestation';
const SCALE = 1e-4; // index and reflectance per stored unit: README
const MOST_UNRELIABLE = 1; // highest reliability that is used: 0 good, 1 marginal; README

/** A pixel of the Para set with its truth. */
export interface ParaPixel {
  readonly isCut: boolean;
  /** First and last PRODES year of the cut; NaN for forest. Year N runs from August N - 1 to July N. */
  readonly firstYear: number;
  readonly lastYear: number;
  /** Date of the first DETER alert [ms since the Unix epoch], null if there was none. */
  readonly alertMs: number | null;
  /** Values at the times of the set; NaN where cloudy or missing. */
  readonly ndvi: Float32Array;
  readonly moisture: Float32Array;
}

/** All pixels of the Para set at common times. */
export interface ParaSet {
  /** Median over the pixels of the true acquisition date of each composite [ms since the Unix epoch]. */
  readonly timesMs: Float64Array;
  /** First day of each composite [ms since the Unix epoch]. */
  readonly startsMs: readonly number[];
  readonly pixels: readonly ParaPixel[];
}

/** Reads the series of Para. */
export function readPara(): ParaSet {
  const rows = readRecords(SET, 'series_2005_2015.csv.gz');
  const composites = [...Map.groupBy(rows, ({ composite }) => composite!)].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const indexOf = new Map(composites.map(([composite], t) => [composite, t]));
  const timesMs = Float64Array.from(composites, ([, views]) =>
    median(views.map(({ acquired }) => Date.parse(acquired!))),
  );
  const viewsOf = Map.groupBy(rows, ({ pixel }) => pixel!);
  const pixels = readRecords(SET, 'pixels.csv').map((row): ParaPixel => {
    const ndvi = new Float32Array(timesMs.length).fill(Number.NaN);
    const moisture = ndvi.slice();
    for (const view of viewsOf.get(row['pixel']!) ?? []) {
      if (Number(view['reliability']) > MOST_UNRELIABLE) continue;
      const t = indexOf.get(view['composite']!)!;
      ndvi[t] = Number(view['ndvi']) * SCALE;
      moisture[t] = normalisedDifference(Number(view['nir']), Number(view['mir']));
    }
    const isCut = row['label'] === 'clear_cut';
    return {
      isCut,
      firstYear: isCut ? Number(row['prodes_year_first']) : Number.NaN,
      lastYear: isCut ? Number(row['prodes_year_last']) : Number.NaN,
      alertMs: row['deter_first'] === '' ? null : Date.parse(row['deter_first']!),
      ndvi,
      moisture,
    };
  });
  return { timesMs, startsMs: composites.map(([composite]) => Date.parse(composite)), pixels };
}

/** Start of a PRODES year [ms since the Unix epoch]: 1 August of the calendar year before. */
export function prodesYearMs(year: number): number {
  return Date.UTC(year - 1, 7, 1);
}

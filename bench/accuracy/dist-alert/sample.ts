import { isPresent, readRecords } from '../data-set.ts';
import { DAY_MS } from '../../../src/base/time.ts';

export const SET = 'dist-alert-validation';
const BEFORE_DAYS = 30; // the label window starts this long before the observation (our choice)
const AFTER_DAYS = 15; // the label window ends this long after the observation (our choice)
const LOSS_DAYS = 15; // an observation with more loss days than this in its label window is labelled as loss
const NO_VEGETATION = 255; // nodata value of veg_ind and veg_anom: README of the data set
const NO_HISTORY = 200; // lowest nodata value of veg_hist: README
const NO_ANOMALY = -1; // nodata value of gen_anom: README
const LOSS = new Set(['VLmin', 'VLmaj', 'VLtotal']);
const NO_LOSS = new Set(['noChange', 'OCmin', 'OCmaj', 'OCtotal']);

/** Observation of a pixel on one day; NaN where the product has no value. */
export interface DistObservation {
  /** Days since the Unix epoch. */
  readonly day: number;
  readonly sensor: string;
  /** Vegetation cover [%]. */
  readonly vegInd: number;
  /** Lowest cover at the same time of year in earlier years [%]. */
  readonly vegHist: number;
  /** Loss of cover [%]. */
  readonly vegAnom: number;
  /** General spectral anomaly. */
  readonly genAnom: number;
}

/** One sampled pixel with its observations and the labels of human interpreters. */
export interface DistPixel {
  readonly id: number;
  readonly stratum: string;
  /** Observations in order of time; of several on one day, only the last one. */
  readonly observations: readonly DistObservation[];
  /** DIST-ALERT's own status at each observation: 0 none, 1 to 6 ongoing, 7 and 8 finished. */
  readonly statuses: readonly number[];
  /** For each observation 1 if its label window contains more than 15 loss days, else 0. */
  readonly labels: Uint8Array;
  /** Index of the first observation that is judged, at or after the first labelled day. */
  readonly judgedFrom: number;
  /** First labelled loss day [days since the Unix epoch]; null if the pixel has no loss. */
  readonly firstLossDay: number | null;
}

const dayOf = (text: string): number => Date.parse(text) / DAY_MS;

/** Whether the sample is present. */
export function isInFolder(): boolean {
  return isPresent(SET);
}

/** Reads the pixels of the sample that have observations after their first labelled day. */
export function readPixels(): DistPixel[] {
  const reference = Map.groupBy(readRecords(SET, 'reference.csv'), (row) => row['id']!);
  const observed = Map.groupBy(
    readRecords(SET, 'observations.csv').filter((row) => Number(row['veg_ind']) !== NO_VEGETATION),
    (row) => row['id']!,
  );
  return readRecords(SET, 'pixels.csv').flatMap(({ id, stratum }) => {
    const byDay = new Map((observed.get(id!) ?? []).map((row) => [dayOf(row['date']!), row]));
    const rows = [...byDay].toSorted(([a], [b]) => a - b);
    const losses = new Set<number>();
    let firstLabelled = Number.POSITIVE_INFINITY;
    for (const { label, from, to } of reference.get(id!) ?? []) {
      if (!LOSS.has(label!) && !NO_LOSS.has(label!)) continue;
      firstLabelled = Math.min(firstLabelled, dayOf(from!));
      if (LOSS.has(label!)) for (let day = dayOf(from!); day <= dayOf(to!); day++) losses.add(day);
    }
    const judgedFrom = rows.findIndex(([day]) => day >= firstLabelled);
    if (judgedFrom < 0) return [];
    const lossDays = (day: number): number => {
      let count = 0;
      for (let d = day - BEFORE_DAYS; d <= day + AFTER_DAYS; d++) if (losses.has(d)) count++;
      return count;
    };
    return [
      {
        id: Number(id),
        stratum: stratum!,
        observations: rows.map(([day, row]) => observationOf(day, row)),
        statuses: rows.map(([, row]) => Number(row['dist_status'])),
        labels: Uint8Array.from(rows, ([day]) => (lossDays(day) > LOSS_DAYS ? 1 : 0)),
        judgedFrom,
        firstLossDay: losses.size === 0 ? null : Math.min(...losses),
      },
    ];
  });
}

function observationOf(day: number, row: Record<string, string>): DistObservation {
  const unless = (value: number, isMissing: boolean): number => (isMissing ? Number.NaN : value);
  const [hist, anom, general] = ['veg_hist', 'veg_anom', 'gen_anom'].map((name) => Number(row[name]));
  return {
    day,
    sensor: row['sensor']!,
    vegInd: Number(row['veg_ind']),
    vegHist: unless(hist!, hist! >= NO_HISTORY),
    vegAnom: unless(anom!, anom === NO_VEGETATION),
    genAnom: unless(general!, general === NO_ANOMALY),
  };
}

/** Reads the size of each stratum [pixels]. */
export function readStrata(): ReadonlyMap<string, number> {
  return new Map(
    readRecords(SET, 'strata.csv').map(({ stratum, pixel_count }) => [stratum!, Number(pixel_count)]),
  );
}

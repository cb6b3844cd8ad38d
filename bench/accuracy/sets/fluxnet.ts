import { isPresent, readRecords } from '../data-set.ts';
import { claimText, follow } from '../engine.ts';
import { targetFigure, plainFigure, type AccuracySet, type Figure } from '../figure.ts';
import { seriesStack } from '../series-stack.ts';
import { JULIAN_YEAR_MS } from '../../../src/base/time.ts';

const SET = 'fluxnet-mod13a1';
const PIXEL_AREA_M2 = 463.313 ** 2; // MOD13A1, nominally 500 m
const SCALE = 1e-4; // index per stored unit: README
const TOWER_YEARS_PER_RECOVERED = 50; // our target: at most one recovered loss in this time

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

function measure(): Figure[] {
  const records = readRecords(SET, 'mod13a1.csv').filter(({ SummaryQA }) => Number(SummaryQA) <= 1);
  const figures: Figure[] = [];
  let [unrecovered, recovered, years] = [0, 0, 0];
  for (const [site, rows] of Map.groupBy(records, (row) => row['site']!)) {
    const timesMs = rows.map(({ date, DayOfYear }) => acquiredMs(date!, Number(DayOfYear)));
    const metrics = { ndvi: rows.map(({ NDVI }) => Number(NDVI) * SCALE) };
    const stack = seriesStack([{ timesMs, metrics }], PIXEL_AREA_M2);
    const endMs = stack.timesMs[stack.timesMs.length - 1]!;
    years += (endMs - stack.timesMs[0]!) / JULIAN_YEAR_MS;
    const losses = follow(stack).claims.filter(
      ({ confirmedMs, direction }) => confirmedMs !== null && direction < 0,
    );
    recovered += losses.filter(({ recoveredMs }) => recoveredMs !== null).length;
    unrecovered += losses.filter(
      ({ recoveredMs, confirmedMs }) =>
        (recoveredMs === null || recoveredMs - confirmedMs! > JULIAN_YEAR_MS) &&
        endMs - confirmedMs! > JULIAN_YEAR_MS,
    ).length;
    if (losses.length > 0) figures.push(plainFigure(site, losses.map(claimText).join('; ')));
  }
  const allowed = Math.floor(years / TOWER_YEARS_PER_RECOVERED);
  figures.unshift(
    targetFigure('losses left unrecovered after 12 months', String(unrecovered), '0', unrecovered === 0),
    targetFigure(
      `recovered losses in ${years.toFixed(0)} tower-years`,
      String(recovered),
      `at most ${allowed} (one in ${TOWER_YEARS_PER_RECOVERED})`,
      recovered <= allowed,
    ),
  );
  return figures;
}

/** MODIS series at undisturbed flux towers, as controls. */
export const FLUXNET: AccuracySet = {
  name: SET,
  isPresent: () => isPresent(SET),
  measure: async () => measure(),
};

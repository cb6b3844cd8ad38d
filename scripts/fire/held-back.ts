import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REGION_SPREAD } from '../../src/risk/wildfire/modelled-rate.ts';
import {
  BLOCK_CELLS,
  blockOf,
  coefficientsOf,
  countsOf,
  gammaShape,
  posteriorOf,
  ratesOf,
  standardErrors,
  USE_MEANS,
} from './burn-fit.ts';
import { expectedFires, type FireRates } from './fire-rate-fit.ts';
import type { Fire, FireCell } from './fire-record.ts';
import { FIRST_YEAR, YEARS } from './fire-record.ts';
import type { Scored } from './ranking-skill.ts';
import { areaUnderCurveInterval } from './ranking-skill.ts';

/**
 * Skill in ranking fires that were not used in the fit: area under the ROC curve of fires against all land,
 * with its 90 % interval.
 */
export interface Ranking {
  readonly judgedOn: string;
  readonly by: string;
  readonly auc: number;
  readonly low: number;
  readonly high: number;
}

/** Number of years at the start of the record that are used in the fit; the later years test the fit. */
const FITTED_YEARS = 6;
/** The only year in which nine in ten fires have an exact position: the last year. */
const POSITIONED_YEAR = FIRST_YEAR + YEARS - 1;
/** Number of bootstrap draws of whole blocks. */
const DRAWS = 200;

/** Rates by land use and slope, fitted to the fires for which `keep` is true. */
function fitted(cells: readonly FireCell[], keep: (fire: Fire) => boolean, years: number): FireRates {
  const errors = standardErrors(cells, DRAWS, (drawn) => coefficientsOf(drawn, keep));
  const beliefs = posteriorOf(coefficientsOf(cells, keep), errors, USE_MEANS);
  return ratesOf(
    beliefs,
    cells,
    countsOf(cells, keep).reduce((sum, n) => sum + n, 0),
    years,
  );
}

/** The gamma shape of the ratio of true to modelled rates over all regions, from the shape within one region. */
function regionalGammaShape(localShape: number): number {
  return 1 / ((1 + 1 / localShape) * Math.exp(REGION_SPREAD ** 2) - 1);
}

/** Share of fires in each month. One fire is added to each month, so that no share is 0. */
export function monthShares(of: readonly Fire[]): number[] {
  return Array.from(
    { length: 12 },
    (_, m) => (of.filter((fire) => fire.month === m + 1).length + 1) / (of.length + 12),
  );
}

function ranking(judgedOn: string, by: string, scored: readonly Scored[]): Ranking {
  return { judgedOn, by, ...areaUnderCurveInterval(scored) };
}

/** Ranks the cells by land cover, earlier fires and month, and measures the skill for the fires of the later years. */
export function laterFires(cells: readonly FireCell[], fireKm2: number): Ranking[] {
  const isEarly = (fire: Fire): boolean => fire.year < FIRST_YEAR + FITTED_YEARS;
  const isLate = (fire: Fire): boolean => !isEarly(fire);
  const rates = fitted(cells, isEarly, FITTED_YEARS);
  const shape = regionalGammaShape(gammaShape(cells, rates, FITTED_YEARS, isEarly));
  const counts = countsOf(cells, isEarly);
  const byCover = cells.map((cell) => expectedFires(cell, rates, FITTED_YEARS));
  const updated = (seen: (cell: FireCell, c: number) => number, expectedPerFire: number): number[] =>
    cells.map((cell, c) => {
      const expected = byCover[c]! * expectedPerFire;
      return (byCover[c]! * (shape + seen(cell, c))) / (shape + expected);
    });
  const byCount = updated((_, c) => counts[c]!, 1);
  const burntKm2 = ({ fires }: FireCell): number =>
    fires.filter(isEarly).reduce((sum, { areaHa }) => sum + areaHa / 100, 0);
  const meanKm2 = cells.reduce((sum, cell) => sum + burntKm2(cell), 0) / counts.reduce((a, b) => a + b, 0);
  // As in src/risk/wildfire/burn-rate.ts, a burned area counts as a number of fires of one size.
  const byArea = updated((cell) => burntKm2(cell) / fireKm2, meanKm2 / fireKm2);
  const months = monthShares(cells.flatMap(({ fires }) => fires.filter(isEarly)));
  const late = countsOf(cells, isLate);
  const whole = (scores: readonly number[]): Scored[] =>
    cells.map((cell, c) => ({ score: scores[c]!, fires: late[c]!, land: 1, block: blockOf(cell) }));
  const monthly = (scores: readonly number[]): Scored[] =>
    cells.flatMap((cell, c) =>
      months.map((share, m) => ({
        score: scores[c]! * share,
        fires: cell.fires.filter((fire) => isLate(fire) && fire.month === m + 1).length,
        land: 1,
        block: blockOf(cell),
      })),
    );
  const what = 'fires of 2004-2007';
  return [
    ranking(what, 'land use and slope', whole(byCover)),
    ranking(what, 'land use; slope; fires of 1998-2003', whole(byCount)),
    ranking(what, 'land use; slope; land burned 1998-2003', whole(byArea)),
    ranking(what, 'month', monthly(cells.map(() => 1))),
    ranking(what, 'land use; slope; month', monthly(byCover)),
    ranking(what, 'land use; slope; month; land burned 1998-2003', monthly(byArea)),
    ranking(what, 'land use; slope; month; fires of 1998-2003', monthly(byCount)),
  ];
}

/**
 * Ranks all land by rates fitted to the earlier years, and measures the skill for the fires of the last year at their
 * exact positions.
 */
export function positionedFires(cells: readonly FireCell[]): Ranking {
  const { logRates, slopeEffect } = fitted(cells, ({ year }) => year < POSITIONED_YEAR, YEARS - 1);
  const scored = cells.flatMap((cell) =>
    cell.parts.map(({ use, slope }, p) => ({
      score: logRates[use]! + slopeEffect * slope,
      fires: cell.fires.filter(({ year, part }) => year === POSITIONED_YEAR && part === p).length,
      land: 1,
      block: blockOf(cell),
    })),
  );
  return ranking(`fires of ${POSITIONED_YEAR} at their positions`, 'land use and slope', scored);
}

/**
 * Ranks all land and measures the skill for all fires. The rates of each fifth of the 50 km blocks are fitted to the
 * other blocks.
 */
export function otherLand(cells: readonly FireCell[]): Ranking {
  const fold = ({ column, row }: FireCell): number =>
    (Math.floor(column / BLOCK_CELLS) + 2 * Math.floor(row / BLOCK_CELLS)) % 5;
  const counts = countsOf(cells, () => true);
  const fits = [0, 1, 2, 3, 4].map((k) =>
    fitted(
      cells.filter((cell) => fold(cell) !== k),
      () => true,
      YEARS,
    ),
  );
  return ranking(
    'land of other 50 km blocks',
    'land use and slope',
    cells.map((cell, c) => ({
      score: expectedFires(cell, fits[fold(cell)]!, YEARS),
      fires: counts[c]!,
      land: 1,
      block: blockOf(cell),
    })),
  );
}

/**
 * Ranks the months by their shares, and measures the skill for the start months of Portugal's mapped fires in 2020.
 * Each fire is a block.
 */
export function portugueseMonths(folder: string, months: readonly number[]): Ranking {
  const { features } = JSON.parse(readFileSync(join(folder, 'burned_areas.geojson'), 'utf8')) as {
    readonly features: readonly { readonly properties: { readonly start_date: string } }[];
  };
  const began = features.map(({ properties }) => Number(properties.start_date.slice(5, 7)));
  // Each fire has an entry for every month. The bootstrap draws whole fires, so every month keeps the same weight.
  const scored = began.flatMap((month, i) =>
    months.map((score, m) => ({ score, fires: m + 1 === month ? 1 : 0, land: 1, block: String(i) })),
  );
  return ranking('Portugal 2020, mapped fires', 'month in Castilla-La Mancha', scored);
}

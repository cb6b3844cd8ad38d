// Fits the burn probability to the fires of Castilla-La Mancha and writes data/tables/burn-probability.csv; prints how well
// held-back fires are ranked. The record is GPL: it is read from FOLDER and never copied; only our coefficients are kept.
//   node scripts/fit-burn-probability.ts FOLDER
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FireRates } from './fire/fire-rate-fit.ts';
import { expectedFires, fitFireRates } from './fire/fire-rate-fit.ts';
import type { Fire, FireCell } from './fire/fire-record.ts';
import { CELL_KM, FIRST_YEAR, LAND_USES, readFireRecord, YEARS } from './fire/fire-record.ts';
import type { Scored } from './fire/ranking-skill.ts';
import { areaUnderCurveInterval, generator } from './fire/ranking-skill.ts';

/** A belief about one coefficient before the data: mean and standard deviation. */
interface Belief {
  readonly mean: number;
  readonly spread: number;
}

/**
 * Log rates about that of all land before the data (ours): shrub burns most, conifers and mixed woods before broadleaves,
 * farmland and towns least, the order found in Portugal (Nunes et al. 2005, doi:10.1007/s10980-005-0070-8; Moreira et al.
 * 2009, doi:10.1071/WF07098), each within a factor of 1.6.
 */
const USE_SPREAD = 0.5;
const USE_MEANS = [-1, -0.5, -0.3, 0, 0.4, 0.4, 0, 0.7, 0.7];

/** WorldCover cannot tell the record's forests or its two shrubs apart: pooled classes, by position in LAND_USES. */
const POOLED = ['built-up', 'cropland', 'grassland', 'tree cover', 'shrubland'] as const;
const POOLS = [0, 1, 2, 3, 3, 3, 2, 4, 4];
const POOL_MEANS = [-1, -0.5, -0.1, 0.25, 0.7];

/**
 * Rate of spread doubles every 10 degrees (McArthur 1967: 0.069/degree); that a place burns grows less than that, so half of
 * it, as uncertain as large (ours).
 */
const SLOPE: Belief = { mean: 0.035, spread: 0.035 };

/** Side of the blocks of the bootstrap and of the spatial hold-out [cells]. */
const BLOCK_CELLS = 5;
const DRAWS = 200;

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write('usage: node scripts/fit-burn-probability.ts FOLDER\n');
  process.exit(2);
}
const { cells, burntHa } = readFireRecord(folder);
const landKm2 = cells.length * CELL_KM ** 2;
const fires = cells.flatMap((cell) => cell.fires);

function counts(of: readonly FireCell[], keep: (fire: Fire) => boolean = () => true): number[] {
  return of.map((cell) => cell.fires.filter(keep).length);
}

function blockOf(cell: FireCell): string {
  return `${Math.floor(cell.column / BLOCK_CELLS)},${Math.floor(cell.row / BLOCK_CELLS)}`;
}

/** Coefficients, the slope's last: log rates about that of all land. */
type Coefficients = readonly number[];

function coefficients(
  of: readonly FireCell[],
  keep: (fire: Fire) => boolean,
  groups?: readonly number[],
): Coefficients {
  const observed = counts(of, keep);
  const { logRates, slopeEffect } = fitFireRates(of, observed, 1, groups);
  const mean = Math.log(observed.reduce((sum, n) => sum + n, 0) / of.length / CELL_KM ** 2);
  return [...logRates.map((rate) => rate - mean), slopeEffect];
}

/** What to believe after the data, coefficient by coefficient: means weighted by precision. */
function posterior(found: Coefficients, errors: readonly number[], means: readonly number[]): Belief[] {
  return found.map((value, i) => {
    const prior = i < means.length ? { mean: means[i]!, spread: USE_SPREAD } : SLOPE;
    const data = errors[i]! ** -2;
    const precision = data + prior.spread ** -2;
    return {
      mean: (value * data + prior.mean * prior.spread ** -2) / precision,
      spread: precision ** -0.5,
    };
  });
}

/** Rates of the mean belief, at the level of what was observed. */
function ratesOf(beliefs: readonly Belief[], observed: number, years: number): FireRates {
  const logRates = beliefs.slice(0, -1).map((belief) => belief.mean);
  const unscaled = { logRates, slopeEffect: beliefs.at(-1)!.mean };
  const level = Math.log(
    observed / cells.reduce((sum, cell) => sum + expectedFires(cell, unscaled, years), 0),
  );
  return { ...unscaled, logRates: logRates.map((rate) => rate + level) };
}

/** Standard deviation of each coefficient over bootstrap draws of whole blocks. */
function spreads(fit: (drawn: readonly FireCell[]) => readonly number[]): number[] {
  const blocks = [...Map.groupBy(cells, blockOf).values()];
  const random = generator(1998);
  const drawn = Array.from({ length: DRAWS }, () =>
    fit(blocks.flatMap(() => blocks[Math.floor(random() * blocks.length)]!)),
  );
  return drawn[0]!.map((_, i) => {
    const values = drawn.map((draw) => draw[i]!);
    const mean = values.reduce((sum, v) => sum + v, 0) / DRAWS;
    return Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (DRAWS - 1));
  });
}

/** Gamma shape of the cells' own rates about the expected ones, by maximum likelihood of the negative binomial. */
function gammaShape(
  of: readonly FireCell[],
  rates: FireRates,
  years: number,
  keep: (fire: Fire) => boolean,
): number {
  const observed = counts(of, keep);
  let best = { shape: 0, likelihood: -Infinity };
  for (let shape = 0.05; shape < 20; shape *= 1.02) {
    let likelihood = 0;
    for (const [c, cell] of of.entries()) {
      const expected = expectedFires(cell, rates, years);
      for (let k = 0; k < observed[c]!; k++) likelihood += Math.log((shape + k) / (shape + expected));
      likelihood += observed[c]! * Math.log(expected) + shape * Math.log(shape / (shape + expected));
    }
    if (likelihood > best.likelihood) best = { shape, likelihood };
  }
  return best.shape;
}

function report(name: string, scored: readonly Scored[]): void {
  const { auc, low, high } = areaUnderCurveInterval(scored);
  process.stdout.write(
    `${name}: AUC ${auc.toFixed(3)} (90 % interval ${low.toFixed(3)} to ${high.toFixed(3)})\n`,
  );
}

// The fit on everything, which is what ships
const found = coefficients(cells, () => true);
const errors = spreads((drawn) => coefficients(drawn, () => true));
const full = posterior(found, errors, USE_MEANS);
const pooledFound = coefficients(cells, () => true, POOLS);
const pooled = posterior(
  pooledFound,
  spreads((drawn) => coefficients(drawn, () => true, POOLS)),
  POOL_MEANS,
);
process.stdout.write(`${cells.length} cells, ${fires.length} fires of 1 ha or more; by the data alone:\n`);
for (const [i, name] of [...LAND_USES, 'slope'].entries())
  process.stdout.write(`  ${name} ${found[i]!.toFixed(3)} +- ${errors[i]!.toFixed(3)}\n`);

// Held-back years: fitted on the first six, judged on the last four
const isEarly = (fire: Fire): boolean => fire.year < FIRST_YEAR + 6;
const earlyErrors = spreads((drawn) => coefficients(drawn, isEarly));
const earlyTotal = fires.filter(isEarly).length;
const early = ratesOf(posterior(coefficients(cells, isEarly), earlyErrors, USE_MEANS), earlyTotal, 6);
const shape = gammaShape(cells, early, 6, isEarly);
const earlyCounts = counts(cells, isEarly);
const lateCounts = counts(cells, (fire) => !isEarly(fire));
const monthShare = (of: readonly Fire[]): number[] =>
  Array.from(
    { length: 12 },
    (_, m) => (of.filter((fire) => fire.month === m + 1).length + 1) / (of.length + 12),
  );
const earlyMonths = monthShare(fires.filter(isEarly));
const byCover = cells.map((cell) => expectedFires(cell, early, 6));
const withHistory = byCover.map((expected, c) => (expected * (shape + earlyCounts[c]!)) / (shape + expected));
const items = (scores: readonly number[], of: readonly number[]): Scored[] =>
  cells.map((cell, c) => ({ score: scores[c]!, fires: of[c]!, land: 1, block: blockOf(cell) }));
report('2004-2007, land use and slope', items(byCover, lateCounts));
report('2004-2007, with the history of 1998-2003', items(withHistory, lateCounts));
report(
  '2004-2007, land use, slope and month',
  cells.flatMap((cell, c) =>
    earlyMonths.map((share, m) => ({
      score: byCover[c]! * share,
      fires: cell.fires.filter((fire) => !isEarly(fire) && fire.month === m + 1).length,
      land: 1,
      block: blockOf(cell),
    })),
  ),
);

// Held-back land: each block judged by a fit on the other blocks
const fold = (cell: FireCell): number =>
  (Math.floor(cell.column / BLOCK_CELLS) + 2 * Math.floor(cell.row / BLOCK_CELLS)) % 5;
const heldOut = new Map<FireCell, number>();
for (let k = 0; k < 5; k++) {
  const rest = cells.filter((cell) => fold(cell) !== k);
  const rates = ratesOf(
    posterior(
      coefficients(rest, () => true),
      errors,
      USE_MEANS,
    ),
    fires.length,
    YEARS,
  );
  for (const cell of cells) if (fold(cell) === k) heldOut.set(cell, expectedFires(cell, rates, YEARS));
}
report(
  'held-back land, land use and slope',
  items(
    cells.map((cell) => heldOut.get(cell)!),
    counts(cells),
  ),
);

// Level, sizes and months
const areas = fires.map((fire) => fire.areaHa);
const burnt = areas.reduce((sum, a) => sum + a, 0);
const fullRates = ratesOf(full, fires.length, YEARS);
type TableRow = readonly [kind: string, name: string, value: number, error?: number];
const rows: readonly TableRow[] = [
  ...LAND_USES.map((use, i): TableRow => ['land use', use, full[i]!.mean, full[i]!.spread]),
  ...POOLED.map((use, i): TableRow => ['pooled', use, pooled[i]!.mean, pooled[i]!.spread]),
  ['slope', 'per degree', full.at(-1)!.mean, full.at(-1)!.spread],
  ['level', 'burnt share a year', burntHa / 100 / landKm2 / YEARS],
  ['history', 'gamma shape', gammaShape(cells, fullRates, YEARS, () => true)],
  ['history', 'area-weighted fire size km2', areas.reduce((sum, a) => sum + a * a, 0) / burnt / 100],
  ...monthShare(fires).map((share, m): TableRow => ['month', String(m + 1), share]),
];
const table = rows.map(([kind, name, value, error]) =>
  [kind, name, value.toPrecision(4), error === undefined ? '' : error.toPrecision(2)].join(','),
);
writeFileSync(
  join(import.meta.dirname, '../data/tables/burn-probability.csv'),
  `kind,name,value,standard_error\n${table.join('\n')}\n`,
);

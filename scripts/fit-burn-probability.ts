// Fits the burn probability to the fires of Castilla-La Mancha and writes data/tables/burn-probability.csv; prints how well
// held-back fires are ranked. The record is GPL: it is read from FOLDER and never copied; only our coefficients are kept.
//   node scripts/fit-burn-probability.ts FOLDER
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BLOCK_CELLS,
  blockOf,
  coefficientsOf,
  countsOf,
  gammaShape,
  POOL_MEANS,
  POOLED,
  POOLS,
  posteriorOf,
  ratesOf,
  standardErrors,
  USE_MEANS,
} from './fire/burn-fit.ts';
import { expectedFires } from './fire/fire-rate-fit.ts';
import type { Fire, FireCell } from './fire/fire-record.ts';
import { CELL_KM, FIRST_YEAR, LAND_USES, readFireRecord, YEARS } from './fire/fire-record.ts';
import type { Scored } from './fire/ranking-skill.ts';
import { areaUnderCurveInterval } from './fire/ranking-skill.ts';

/** Bootstrap draws of whole blocks. */
const DRAWS = 200;

const anyFire = (): boolean => true;

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write('usage: node scripts/fit-burn-probability.ts FOLDER\n');
  process.exit(2);
}
const { cells, burntHa } = readFireRecord(folder);
const landKm2 = cells.length * CELL_KM ** 2;
const fires = cells.flatMap((cell) => cell.fires);

function report(name: string, scored: readonly Scored[]): void {
  const { auc, low, high } = areaUnderCurveInterval(scored);
  process.stdout.write(
    `${name}: AUC ${auc.toFixed(3)} (90 % interval ${low.toFixed(3)} to ${high.toFixed(3)})\n`,
  );
}

// The fit on everything, which is what ships
const found = coefficientsOf(cells, anyFire);
const errors = standardErrors(cells, DRAWS, (drawn) => coefficientsOf(drawn, anyFire));
const full = posteriorOf(found, errors, USE_MEANS);
const pooledFound = coefficientsOf(cells, anyFire, POOLS);
const pooled = posteriorOf(
  pooledFound,
  standardErrors(cells, DRAWS, (drawn) => coefficientsOf(drawn, anyFire, POOLS)),
  POOL_MEANS,
);
process.stdout.write(`${cells.length} cells, ${fires.length} fires of 1 ha or more; by the data alone:\n`);
for (const [i, name] of [...LAND_USES, 'slope'].entries())
  process.stdout.write(`  ${name} ${found[i]!.toFixed(3)} +- ${errors[i]!.toFixed(3)}\n`);

// Held-back years: fitted on the first six, judged on the last four
const isEarly = (fire: Fire): boolean => fire.year < FIRST_YEAR + 6;
const earlyErrors = standardErrors(cells, DRAWS, (drawn) => coefficientsOf(drawn, isEarly));
const earlyTotal = fires.filter(isEarly).length;
const early = ratesOf(
  posteriorOf(coefficientsOf(cells, isEarly), earlyErrors, USE_MEANS),
  cells,
  earlyTotal,
  6,
);
const shape = gammaShape(cells, early, 6, isEarly);
const earlyCounts = countsOf(cells, isEarly);
const lateCounts = countsOf(cells, (fire) => !isEarly(fire));
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
  const restErrors = standardErrors(rest, DRAWS, (drawn) => coefficientsOf(drawn, anyFire));
  const beliefs = posteriorOf(coefficientsOf(rest, anyFire), restErrors, USE_MEANS);
  const rates = ratesOf(beliefs, cells, fires.length, YEARS);
  for (const cell of cells) if (fold(cell) === k) heldOut.set(cell, expectedFires(cell, rates, YEARS));
}
report(
  'held-back land, land use and slope',
  items(
    cells.map((cell) => heldOut.get(cell)!),
    countsOf(cells, anyFire),
  ),
);

// Level, sizes and months
const areas = fires.map((fire) => fire.areaHa);
const burnt = areas.reduce((sum, a) => sum + a, 0);
const fullRates = ratesOf(full, cells, fires.length, YEARS);
type TableRow = readonly [kind: string, name: string, value: number, error?: number];
const rows: readonly TableRow[] = [
  ...LAND_USES.map((use, i): TableRow => ['land use', use, full[i]!.mean, full[i]!.spread]),
  ...POOLED.map((use, i): TableRow => ['pooled', use, pooled[i]!.mean, pooled[i]!.spread]),
  ['slope', 'per degree', full.at(-1)!.mean, full.at(-1)!.spread],
  ['level', 'burnt share a year', burntHa / 100 / landKm2 / YEARS],
  ['history', 'gamma shape', gammaShape(cells, fullRates, YEARS, anyFire)],
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

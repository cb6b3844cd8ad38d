// Fits the burn probability to the fires of Castilla-La Mancha (data/tables/burn-probability.csv) and measures the
// skill in ranking fires that were not used in the fit (data/tables/burn-ranking.csv). The records are never copied
// into the repository; only our coefficients are stored.
//   node scripts/fit-burn-probability.ts FOLDER
// FOLDER contains castilla-la-mancha-fires and portugal-burned-areas.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  coefficientsOf,
  gammaShape,
  POOL_MEANS,
  POOLED,
  POOLS,
  posteriorOf,
  ratesOf,
  standardErrors,
  USE_MEANS,
} from './fire/burn-fit.ts';
import { CELL_KM, LAND_USES, readFireRecord, YEARS } from './fire/fire-record.ts';
import { laterFires, monthShares, otherLand, portugueseMonths, positionedFires } from './fire/held-back.ts';

/** Number of bootstrap draws of whole blocks. */
const DRAWS = 200;

const TABLES = join(import.meta.dirname, '../data/tables');

const anyFire = (): boolean => true;

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write('usage: node scripts/fit-burn-probability.ts FOLDER\n');
  process.exit(2);
}
const { cells, burntHa } = readFireRecord(join(folder, 'castilla-la-mancha-fires'));
const fires = cells.flatMap((cell) => cell.fires);

const found = coefficientsOf(cells, anyFire);
const errors = standardErrors(cells, DRAWS, (drawn) => coefficientsOf(drawn, anyFire));
const full = posteriorOf(found, errors, USE_MEANS);
const pooled = posteriorOf(
  coefficientsOf(cells, anyFire, POOLS),
  standardErrors(cells, DRAWS, (drawn) => coefficientsOf(drawn, anyFire, POOLS)),
  POOL_MEANS,
);
const positioned = fires.filter(({ part }) => part !== null).length;
process.stdout.write(
  `${cells.length} cells, ${fires.length} fires of 1 ha or more, ${positioned} of known position; by the data alone:\n`,
);
for (const [i, name] of [...LAND_USES, 'slope'].entries())
  process.stdout.write(`  ${name} ${found[i]!.toFixed(3)} +- ${errors[i]!.toFixed(3)}\n`);

const areas = fires.map((fire) => fire.areaHa);
const burnt = areas.reduce((sum, a) => sum + a, 0);
const fireKm2 = areas.reduce((sum, a) => sum + a * a, 0) / burnt / 100;
const months = monthShares(fires);
type TableRow = readonly [kind: string, name: string, value: number, error?: number];
const rows: readonly TableRow[] = [
  ...LAND_USES.map((use, i): TableRow => ['land use', use, full[i]!.mean, full[i]!.spread]),
  ...POOLED.map((use, i): TableRow => ['pooled', use, pooled[i]!.mean, pooled[i]!.spread]),
  ['slope', 'per degree', full.at(-1)!.mean, full.at(-1)!.spread],
  ['level', 'burnt share a year', burntHa / 100 / (cells.length * CELL_KM ** 2) / YEARS],
  ['history', 'gamma shape', gammaShape(cells, ratesOf(full, cells, fires.length, YEARS), YEARS, anyFire)],
  ['history', 'area-weighted fire size km2', fireKm2],
  ['history', 'mean fire size km2', burnt / areas.length / 100],
  ...months.map((share, m): TableRow => ['month', String(m + 1), share]),
];
const table = rows.map(([kind, name, value, error]) =>
  [kind, name, value.toPrecision(4), error === undefined ? '' : error.toPrecision(2)].join(','),
);
writeFileSync(join(TABLES, 'burn-probability.csv'), `kind,name,value,standard_error\n${table.join('\n')}\n`);

const rankings = [
  ...laterFires(cells, fireKm2),
  positionedFires(cells),
  otherLand(cells),
  portugueseMonths(join(folder, 'portugal-burned-areas'), months),
].map(({ judgedOn, by, auc, low, high }) =>
  [judgedOn, by, ...[auc, low, high].map((value) => value.toFixed(3))].join(','),
);
writeFileSync(join(TABLES, 'burn-ranking.csv'), `judged on,by,auc,low,high\n${rankings.join('\n')}\n`);
process.stdout.write(`held back, with 90 % intervals:\n${rankings.map((line) => `  ${line}\n`).join('')}`);

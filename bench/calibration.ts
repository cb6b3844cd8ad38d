/**
 * Calibration of the risk models: expected calibration error of the confidences (ten bins) and coverage of the
 * nominal 90 % intervals, by peril, kind of evidence and stratum. The cases are simulated places with known hazard
 * and building, and real layers and records that were thinned or coarsened. `-- flood storm` runs only these perils.
 * `--write flood` fits the corrections of a peril again and writes them to src/risk/calibration-figures.ts. This
 * changes the answers of the peril, so raise its model version.
 */
import { spawnSync } from 'node:child_process';
import type { Peril } from '../src/risk/assessment.ts';
import { calibrationsOf } from '../src/risk/calibration.ts';
import type { Calibration } from '../src/risk/calibration-record.ts';
import { isotonicFit, knotsAt, type Knots } from '../src/numerics/isotonic.ts';
import { readFigures, writeFigures } from './calibration/figures.ts';
import { CHECKS } from './calibration/checks.ts';
import { measured, type Outcomes, outcomesOf } from './calibration/outcomes.ts';

const CASES = 20_000; // cases of each simulation; drawn once to fit the curve and again to measure
const FIT_SEED = 1;
const CHECK_SEED = 2;
const LEAST_POOL = 200; // minimum number of cases for one step of the curve
const ECE_BUDGET = 0.02; // our target: maximum calibration error
const COVERAGE_BUDGET = 0.02;
const DIGITS = 4;

const rounded = (value: number): number => Number(value.toFixed(DIGITS));

/** Fits curves to raw confidences. The current corrections of the peril must be removed first. */
async function fit(peril: Peril): Promise<readonly Calibration[]> {
  const found: Calibration[] = [];
  const curves = new Map<string, Knots>();
  for (const check of CHECKS.filter((other) => other.peril === peril)) {
    let correct = (raw: number): number => raw;
    if (check.isOfCorrection !== false) {
      const learnt = await outcomesOf(check, CASES, FIT_SEED);
      if (learnt === null) throw new Error(`${check.basis}: nothing to learn from`);
      const all = learnt.get('')!;
      const curve = isotonicFit(all.stated, all.hit, LEAST_POOL).map(
        ([x, y]) => [rounded(x), rounded(y)] as const,
      );
      curves.set(check.basis, curve);
    }
    const curve = curves.get(check.correctedAs ?? check.basis);
    if (curve !== undefined) correct = (raw) => Math.min(check.highest ?? 1, knotsAt(curve, raw));
    const outcomes = await outcomesOf(check, CASES, CHECK_SEED);
    if (outcomes === null)
      throw new Error(`${check.basis}: its data are absent, and its figures would be lost`);
    for (const [stratum, outcome] of outcomes) {
      const { ece, coverage90, cases } = measured(outcome, correct);
      if (coverage90 === null) continue;
      found.push({
        basis: stratum === '' ? check.basis : `${check.basis}: ${stratum}`,
        curve: stratum === '' && check.isOfCorrection !== false ? curve! : [],
        ...(stratum !== '' && { partOf: check.basis }),
        cases,
        ece: rounded(ece),
        rawEce: rounded(measured(outcome, (raw) => raw).ece),
        coverage90: rounded(coverage90),
        margin: 0,
        rangeCoverage90: null,
      });
    }
  }
  return found;
}

const percents = ([low, high]: readonly [number, number]): string =>
  `${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)}`;

function tell(peril: Peril, basis: string, stratum: string, outcome: Outcomes): void {
  const { cases, ece, coverage90, surelyDry, perfect } = measured(outcome, (stated) => stated);
  const isWithin =
    ece <= ECE_BUDGET && (coverage90 === null || Math.abs(coverage90 - 0.9) <= COVERAGE_BUDGET + 1e-9);
  console.log(
    [
      `${peril.padEnd(10)} ${(stratum === '' ? basis : `  ${basis}: ${stratum}`).padEnd(58)}`,
      `${cases} cases: calibration error ${(100 * ece).toFixed(2)} points,`,
      coverage90 === null ? 'no intervals' : `90 % intervals cover ${(100 * coverage90).toFixed(1)} %`,
      surelyDry === null ? '' : `(called surely 0: ${(100 * surelyDry).toFixed(1)} % are)`,
      perfect === null
        ? ''
        : `(on ${perfect.units} units a perfect one would show ${percents(perfect.ece)} points and ${percents(perfect.coverage90)} %)`,
      isWithin ? 'within' : 'OVER',
    ].join(' '),
  );
}

const given = process.argv.slice(2);
const perils = given.filter((word): word is Peril => CHECKS.some(({ peril }) => peril === word));
const flags = given.filter((word) => word.startsWith('--'));
const unknown = given.filter(
  (word) => !perils.includes(word as Peril) && !['--write', '--fit'].includes(word),
);
if (unknown.length > 0 || (flags.length > 0 && perils.length === 0)) {
  console.error(
    `expected [--write] and perils of ${[...new Set(CHECKS.map(({ peril }) => peril))].join(', ')}`,
  );
  process.exitCode = 2;
} else if (flags.includes('--write')) {
  for (const peril of perils) {
    // Models read their corrections when they are loaded, so raw confidences need another process.
    const before = (await readFigures())[peril];
    await writeFigures(peril, []);
    const child = spawnSync(process.execPath, [import.meta.filename, '--fit', peril], { stdio: 'inherit' });
    if (child.status === 0) continue;
    await writeFigures(peril, before ?? []);
    process.exitCode = 1;
  }
  if (process.exitCode === undefined)
    spawnSync(process.execPath, [import.meta.filename, ...perils], { stdio: 'inherit' });
} else if (flags.includes('--fit')) {
  for (const peril of perils) {
    if (calibrationsOf(peril).length > 0) throw new Error(`${peril} is corrected already: use --write`);
    await writeFigures(peril, await fit(peril));
  }
} else {
  for (const check of CHECKS) {
    if (perils.length > 0 && !perils.includes(check.peril)) continue;
    const outcomes = await outcomesOf(check, CASES, CHECK_SEED);
    if (outcomes === null)
      console.log(`${check.peril.padEnd(10)} ${check.basis}: skipped, its data are absent`);
    else for (const [stratum, outcome] of outcomes) tell(check.peril, check.basis, stratum, outcome);
  }
}

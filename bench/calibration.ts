/**
 * Calibration of the risk models: expected calibration error of the confidences (ten bins), coverage of the 90 %
 * ranges of the score and of the 90 % intervals of the hazard curve. Each peril has a simulated world, whose truths are
 * drawn from more than one class of model, and each kind of evidence sees its own layers of the same places
 * (calibration/worlds). Real layers and records that were thinned or coarsened follow.
 *
 * Without arguments all perils; `flood storm` only these. `--write [PERIL...]` fits the corrections of confidences, the
 * margins of ranges and the information of the kinds of evidence again, to other places than those checked, and writes
 * them to src/risk/calibration-figures.ts. This changes the answers of the peril, so raise its model version.
 */
import { spawnSync } from 'node:child_process';
import { EVIDENCE_CLASSES, PERILS } from '../src/contract/vocabulary.ts';
import type { Peril } from '../src/risk/assessment.ts';
import { calibrationsOf } from '../src/risk/calibration.ts';
import type { Calibration, Information } from '../src/risk/calibration-record.ts';
import { RISK_MODELS } from '../src/risk/models.ts';
import { isotonicFit, knotsAt } from '../src/numerics/isotonic.ts';
import { CHECKS } from './calibration/checks.ts';
import { readFigures, writeFigures } from './calibration/figures.ts';
import {
  type CalibrationCheck,
  corrected,
  type Correction,
  marginOf,
  measured,
  type Outcomes,
  outcomesOf,
  pooled,
} from './calibration/outcomes.ts';
import { informationOfKinds, mutualInformation } from './calibration/worlds/information.ts';
import { outcomesOfWorld, WORLDS } from './calibration/worlds/views.ts';

const PLACES = 12_000; // places of a world; drawn once to fit and again to measure
const FIT_SEED = 1;
const CHECK_SEED = 2;
const LEAST_POOL = 500; // minimum number of cases for one step of a curve
const LEAST_CASES = 1000; // minimum number of answers for a correction
const ECE_BUDGET = 0.03; // our target: maximum calibration error of a basis, a class of evidence and a whole world
const COVERAGE_BUDGET = 0.02;
const DIGITS = 4;
/** Name of the check of all answers of a world together. */
const ALL = 'all evidence of one world';

const rounded = (value: number): number => Number(value.toFixed(DIGITS));

function correctionOf(outcome: Outcomes): Correction {
  const fitted = isotonicFit(outcome.stated, outcome.hit, LEAST_POOL);
  return {
    curve: fitted.map(([x, y]) => [rounded(x), rounded(y)] as const),
    margin: rounded(marginOf(outcome)),
  };
}

function recordOf(
  basis: string,
  outcome: Outcomes,
  corrections: ReadonlyMap<string, Correction>,
): Calibration {
  const { ece, coverage90, rangeCoverage90, cases } = measured(corrected(outcome, corrections));
  return {
    basis,
    curve: [],
    cases,
    ece: rounded(ece),
    rawEce: rounded(measured(outcome).ece),
    coverage90: coverage90 === null ? null : rounded(coverage90),
    margin: 0,
    rangeCoverage90: rounded(rangeCoverage90),
  };
}

/** Fits the corrections of a peril. Its current corrections must be removed first. */
async function fit(peril: Peril): Promise<{ found: Calibration[]; information: Information[] }> {
  const world = WORLDS[peril]!;
  const learnt = outcomesOfWorld(world, PLACES, FIT_SEED);
  const corrections = new Map(
    [...learnt.bases]
      .filter(([, { stated }]) => stated.length >= LEAST_CASES)
      .map(([basis, outcome]) => [basis, correctionOf(outcome)] as const),
  );
  const checked = outcomesOfWorld(world, PLACES, CHECK_SEED);
  const found = [...corrections].map(([basis, correction]) => ({
    ...recordOf(basis, checked.bases.get(basis)!, corrections),
    ...correction,
  }));
  found.push(recordOf(ALL, pooled([...checked.bases.values()]), corrections));
  for (const of of EVIDENCE_CLASSES) {
    const outcomes = checked.classes.get(of);
    if (outcomes === undefined) continue;
    const record = recordOf(`${ALL}: ${of}`, pooled([...outcomes.values()]), corrections);
    found.push({ ...record, partOf: ALL });
  }
  for (const check of CHECKS.filter((other) => other.peril === peril)) {
    const outcome = await outcomesOf(check, CHECK_SEED);
    if (outcome === null)
      throw new Error(`${check.basis}: its data are absent, and its figures would be lost`);
    found.push(recordOf(check.basis, outcome, corrections));
  }
  return { found, information: informationOfKinds(RISK_MODELS[peril].evidence, checked.kinds.values()) };
}

const percents = ([low, high]: readonly [number, number]): string =>
  `${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)}`;
const percent = (share: number): string => (100 * share).toFixed(1);

/** Prints one line. @param most target of the calibration error; null: none, the line only informs */
function tell(peril: Peril, name: string, outcome: Outcomes, most: number | null): void {
  const { cases, ece, coverage90, rangeCoverage90, surelyDry, perfect } = measured(outcome);
  const isWithin = most !== null && ece <= most && Math.abs(rangeCoverage90 - 0.9) <= COVERAGE_BUDGET + 1e-9;
  const confidence = outcome.stated.reduce((sum, stated) => sum + stated, 0) / cases;
  console.log(
    [
      `${peril.padEnd(10)} ${name.padEnd(62)}`,
      `${cases} cases: confidence ${confidence.toFixed(2)}, calibration error ${(100 * ece).toFixed(2)} points,`,
      `90 % ranges cover ${percent(rangeCoverage90)} %`,
      coverage90 === null ? '' : `and those of the hazard curve ${percent(coverage90)} %`,
      surelyDry === null ? '' : `(called surely 0: ${percent(surelyDry)} % are)`,
      perfect === null
        ? ''
        : `(on ${perfect.units} units a perfect one would show ${percents(perfect.ece)} points and ${percents(perfect.coverage90)} %)`,
      most === null ? '' : isWithin ? 'within' : 'OVER',
    ]
      .filter((part) => part !== '')
      .join(' '),
  );
}

/**
 * Outcomes of real data with the confidences that hold within the model: corrected once more, by simulated places whose
 * truth is drawn from the model. Real records that are thinned test the errors of their own kind of data; how wrong the
 * model may be is not in them, since their damage is drawn from it.
 */
async function withoutDoubt(outcome: Outcomes, own: CalibrationCheck): Promise<Outcomes> {
  const learnt = (await outcomesOf(own, FIT_SEED))!;
  const curve = isotonicFit(learnt.stated, learnt.hit, LEAST_POOL);
  return { ...outcome, stated: outcome.stated.map((stated) => knotsAt(curve, stated)) };
}

async function check(peril: Peril): Promise<void> {
  const { bases, classes, truths, kinds } = outcomesOfWorld(WORLDS[peril]!, PLACES, CHECK_SEED);
  for (const [basis, outcome] of bases) tell(peril, basis, outcome, ECE_BUDGET);
  tell(peril, ALL, pooled([...bases.values()]), ECE_BUDGET);
  for (const of of EVIDENCE_CLASSES) {
    const outcomes = classes.get(of);
    if (outcomes !== undefined) tell(peril, `  evidence: ${of}`, pooled([...outcomes.values()]), ECE_BUDGET);
  }
  for (const [truth, outcome] of truths) tell(peril, `  where the truth is: ${truth}`, outcome, null);
  for (const statements of kinds.values()) {
    const { kind, resolutionM } = statements.found;
    const bits = mutualInformation(statements).toFixed(2);
    console.log(`${peril.padEnd(10)}   ${kind.class}: ${kind.name}, ${resolutionM} m: ${bits} bits measured`);
  }
  for (const real of CHECKS.filter((other) => other.peril === peril)) {
    const outcome = await outcomesOf(real, CHECK_SEED);
    if (outcome === null) {
      console.log(`${peril.padEnd(10)} ${real.basis}: skipped, its data are absent`);
      continue;
    }
    tell(peril, real.basis, outcome, null);
    const own = CHECKS.find((other) => other.peril === peril && other.basis === real.beside);
    if (own !== undefined)
      tell(peril, `  ... without doubt about the model`, await withoutDoubt(outcome, own), null);
  }
}

const given = process.argv.slice(2);
const known = PERILS.filter((peril) => WORLDS[peril] !== undefined);
const flags = new Set(given.filter((word) => word.startsWith('--')));
const named = known.filter((peril) => given.includes(peril));
const perils = named.length > 0 ? named : known;
if (given.some((word) => !known.includes(word as Peril) && word !== '--write' && word !== '--fit')) {
  console.error(`expected [--write] and perils of ${known.join(', ')}`);
  process.exitCode = 2;
} else if (flags.has('--write')) {
  for (const peril of perils) {
    // Models read their corrections when they are loaded, so raw confidences need another process.
    const before = await readFigures();
    await writeFigures(peril, [], []);
    const child = spawnSync(process.execPath, [import.meta.filename, '--fit', peril], { stdio: 'inherit' });
    if (child.status === 0) continue;
    await writeFigures(peril, before.CALIBRATIONS[peril] ?? [], before.INFORMATION[peril] ?? []);
    process.exitCode = 1;
  }
  if (process.exitCode === undefined)
    spawnSync(process.execPath, [import.meta.filename, ...perils], { stdio: 'inherit' });
} else if (flags.has('--fit')) {
  for (const peril of perils) {
    if (calibrationsOf(peril).length > 0) throw new Error(`${peril} is corrected already: use --write`);
    const { found, information } = await fit(peril);
    await writeFigures(peril, found, information);
  }
} else for (const peril of perils) await check(peril);

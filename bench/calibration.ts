/**
 * Calibration of the risk models: expected calibration error of the confidences (ten bins), coverage of the 90 %
 * ranges of the score and of the 90 % intervals of the hazard curve. Each peril has a simulated world, whose truths are
 * drawn from more than one class of model, and each kind of evidence sees its own layers of the same places
 * (calibration/worlds). Real layers and records that were thinned or coarsened follow.
 *
 * Without arguments all perils; `flood storm` only these. `--write [PERIL...]` fits the distributions of the true score
 * and the information of the kinds of evidence again, to other places than those checked, and writes them to
 * src/risk/calibration-figures.ts. The figures called cross-validated are of distributions that were fitted without the
 * block of places that they are judged on. This changes the answers of the peril, so raise its model version.
 */
import { spawnSync } from 'node:child_process';
import { EVIDENCE_CLASSES, PERILS } from '../src/contract/vocabulary.ts';
import type { Peril } from '../src/risk/assessment.ts';
import { calibrationsOf } from '../src/risk/calibration.ts';
import type { Calibration, CrossValidated, Information } from '../src/risk/calibration-record.ts';
import { RISK_MODELS } from '../src/risk/models.ts';
import type { ScoreDistribution } from '../src/risk/score-distribution.ts';
import { knotsAt } from '../src/numerics/isotonic.ts';
import { isotonicFit } from './calibration/isotonic-fit.ts';
import { CHECKS } from './calibration/checks.ts';
import { readFigures, writeFigures } from './calibration/figures.ts';
import { fitDistribution } from './calibration/distribution-fit.ts';
import {
  type CalibrationCheck,
  corrected,
  measured,
  type Outcomes,
  outcomesOf,
  pooled,
} from './calibration/outcomes.ts';
import { informationOfKinds, mutualInformation } from './calibration/worlds/information.ts';
import { BLOCKS, outcomesOfWorld, WORLDS } from './calibration/worlds/views.ts';

const PLACES = 12_000; // places of a world; drawn once to fit and again to measure
const FIT_SEED = 1;
const CHECK_SEED = 2;
const LEAST_POOL = 500; // minimum number of cases for one step of the curve within a model
const LEAST_CASES = 1000; // minimum number of answers for a distribution
const ECE_BUDGET = 0.03; // our target: maximum calibration error of a basis, a class of evidence and a whole world
const COVERAGE_BUDGET = 0.02;
const DIGITS = 4;
/** Name of the check of all answers of a world together. */
const ALL = 'all evidence of one world';

const rounded = (value: number): number => Number(value.toFixed(DIGITS));

type Distributions = ReadonlyMap<string, ScoreDistribution>;

function recordOf(basis: string, outcome: Outcomes, distributions: Distributions): Calibration {
  const { ece, coverage90, rangeCoverage90, rangeMisses, reliability, cases } = measured(
    corrected(outcome, (name) => distributions.get(name)),
  );
  return {
    basis,
    distribution: null,
    cases,
    ece: rounded(ece),
    rawEce: rounded(measured(outcome).ece),
    reliability: reliability.map(([stated, held]) => [rounded(stated), rounded(held)] as const),
    coverage90: coverage90 === null ? null : rounded(coverage90),
    rangeCoverage90: rounded(rangeCoverage90),
    rangeMisses: [rounded(rangeMisses[0]), rounded(rangeMisses[1])],
    crossValidated: null,
  };
}

/** The outcomes of some blocks: those for which `keeps` holds. */
function ofBlocks(outcome: Outcomes, keeps: (block: number) => boolean): Outcomes {
  const kept = [...outcome.blocks.keys()].filter((i) => keeps(outcome.blocks[i]!));
  const pick = <T>(of: readonly T[]): T[] => kept.map((i) => of[i]!);
  const { bases, stated, hit, scores, truths, lows, highs, blocks } = outcome;
  return {
    ...pooled([]),
    bases: pick(bases),
    stated: pick(stated),
    hit: pick(hit),
    scores: pick(scores),
    truths: pick(truths),
    lows: pick(lows),
    highs: pick(highs),
    blocks: pick(blocks),
  };
}

/** Figures of one basis, each block judged by the distribution that was fitted to the others. */
function crossValidated(outcome: Outcomes): CrossValidated | null {
  const blocks = [...Array(BLOCKS).keys()].filter((block) => outcome.blocks.includes(block));
  const parts = blocks.flatMap((block) => {
    const others = ofBlocks(outcome, (other) => other !== block);
    if (others.stated.length < LEAST_CASES) return [];
    const distribution = fitDistribution(others);
    return [
      corrected(
        ofBlocks(outcome, (other) => other === block),
        () => distribution,
      ),
    ];
  });
  if (parts.length < 2) return null;
  const { ece, rangeCoverage90, rangeMisses } = measured(pooled(parts));
  return {
    blocks: parts.length,
    ece: rounded(ece),
    rangeCoverage90: rounded(rangeCoverage90),
    rangeMisses: [rounded(rangeMisses[0]), rounded(rangeMisses[1])],
  };
}

/** Fits the distributions of a peril. Its current ones must be removed first. */
async function fit(peril: Peril): Promise<{ found: Calibration[]; information: Information[] }> {
  const world = WORLDS[peril]!;
  const learnt = outcomesOfWorld(world, PLACES, FIT_SEED);
  const distributions: Distributions = new Map(
    [...learnt.bases]
      .filter(([, { stated }]) => stated.length >= LEAST_CASES)
      .map(([basis, outcome]) => [basis, fitDistribution(outcome)] as const),
  );
  const checked = outcomesOfWorld(world, PLACES, CHECK_SEED);
  const found: Calibration[] = [...distributions].map(([basis, distribution]) => ({
    ...recordOf(basis, checked.bases.get(basis)!, distributions),
    distribution,
    crossValidated: crossValidated(learnt.bases.get(basis)!),
  }));
  found.push(recordOf(ALL, pooled([...checked.bases.values()]), distributions));
  for (const of of EVIDENCE_CLASSES) {
    const outcomes = checked.classes.get(of);
    if (outcomes === undefined) continue;
    const record = recordOf(`${ALL}: ${of}`, pooled([...outcomes.values()]), distributions);
    found.push({ ...record, partOf: ALL });
  }
  for (const check of CHECKS.filter((other) => other.peril === peril)) {
    const outcome = await outcomesOf(check, CHECK_SEED);
    if (outcome === null)
      throw new Error(`${check.basis}: its data are absent, and its figures would be lost`);
    found.push(recordOf(check.basis, outcome, distributions));
  }
  return { found, information: informationOfKinds(RISK_MODELS[peril].evidence, checked.kinds.values()) };
}

const percents = ([low, high]: readonly [number, number]): string =>
  `${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)}`;
const percent = (share: number): string => (100 * share).toFixed(1);

/** Prints one line. @param most target of the calibration error; null: none, the line only informs */
function tell(peril: Peril, name: string, outcome: Outcomes, most: number | null): void {
  const figures = measured(outcome);
  const { cases, ece, coverage90, rangeCoverage90, rangeMisses, surelyDry, perfect } = figures;
  const isWithin = most !== null && ece <= most && Math.max(...rangeMisses) <= 0.05 + COVERAGE_BUDGET;
  const confidence = outcome.stated.reduce((sum, stated) => sum + stated, 0) / cases;
  console.log(
    [
      `${peril.padEnd(10)} ${name.padEnd(62)}`,
      `${cases} cases: confidence ${confidence.toFixed(2)}, calibration error ${(100 * ece).toFixed(2)} points,`,
      `90 % ranges cover ${percent(rangeCoverage90)} % (${rangeMisses.map(percent).join(' below, ')} above,`,
      `${percent(figures.oneSided)} % end at 0 or 1), width ${figures.meanWidth.toFixed(3)}, interval score`,
      `${figures.intervalScore.toFixed(3)}, Brier ${figures.brier.toFixed(4)}`,
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
    // Models read their distributions when they are loaded, so raw confidences need another process.
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
    if (calibrationsOf(peril).length > 0) throw new Error(`${peril} is calibrated already: use --write`);
    const { found, information } = await fit(peril);
    await writeFigures(peril, found, information);
  }
} else for (const peril of perils) await check(peril);

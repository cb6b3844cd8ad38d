/**
 * Whether stated confidences and intervals hold, on simulated places whose hazard and building are known: expected
 * calibration error (ten bins) and coverage of nominal 90 % intervals. `--write` fits the corrections anew and keeps them
 * in src/risk/calibration-figures.ts: answers change, so raise the model versions and pin them.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Peril } from '../src/risk/assessment.ts';
import { type Calibration, calibrationsOf } from '../src/risk/calibration.ts';
import { isotonicFit, knotsAt, type Knots } from '../src/risk/isotonic.ts';
import { RISK_MODELS } from '../src/risk/models.ts';
import { mappedFloodCase } from './calibration/flood-cases.ts';
import { terrainFloodCase } from './calibration/flood-terrain-cases.ts';
import { Random, type SimulatedCase } from './calibration/simulated-case.ts';
import { shippedStormCase } from './calibration/shipped-storm-cases.ts';
import { mappedStormCase } from './calibration/storm-cases.ts';

const CASES = 20_000; // of each kind, for the curve and again for the figures
const FIT_SEED = 1;
const CHECK_SEED = 2;
const LEAST_POOL = 200; // cases that a step of the curve rests on
const BINS = 10;
const BAND = 0.1; // of the score: contract.md "Confidence"
const ONE_TAIL = 0.05; // of a 90 % interval
const DIGITS = 4;
const ECE_BUDGET = 0.02; // issue 3, item 6
const COVERAGE_BUDGET = 0.02;

interface Simulation {
  readonly peril: Peril;
  readonly basis: string;
  readonly make: (random: Random) => SimulatedCase;
}

const SIMULATIONS: readonly Simulation[] = [
  { peril: 'flood', basis: 'map', make: mappedFloodCase },
  { peril: 'flood', basis: 'terrain', make: terrainFloodCase },
  { peril: 'storm', basis: 'map', make: mappedStormCase },
  { peril: 'storm', basis: 'prior', make: shippedStormCase },
];

interface Outcome {
  /** Stated by the service as it is, the correction in force included. */
  readonly stated: Float64Array;
  /** 1 where the true score was within 0.1 of the given one. */
  readonly hit: Uint8Array;
  readonly intervals: number;
  /** Of them, those that hold the truth; what one-sided ones hold beyond 90 % is taken off. */
  readonly covered: number;
}

function run({ peril, make }: Simulation, seed: number): Outcome {
  const random = new Random(seed);
  const stated = new Float64Array(CASES);
  const hit = new Uint8Array(CASES);
  let [intervals, covered] = [0, 0];
  for (let i = 0; i < CASES; i++) {
    const { cards, readings, lat, lng, trueScore, trueIntensity } = make(random);
    const found = RISK_MODELS[peril].prepare(cards).explain(readings, lat, lng);
    stated[i] = found.confidence;
    hit[i] = Math.abs(found.riskScore - trueScore) <= BAND ? 1 : 0;
    for (const { returnPeriodYears, low, high } of found.hazardCurve) {
      if (high === low) continue; // certainly dry: nothing to cover
      const truth = trueIntensity(returnPeriodYears);
      intervals++;
      if (truth >= low && truth <= high) covered++;
      // An interval that begins at dry ground leaves nothing out below: its nominal share is 95 %.
      if (low === 0) covered -= ONE_TAIL;
    }
  }
  return { stated, hit, intervals, covered };
}

/** Mean distance of stated confidence and hits over equal bins, weighted by their cases (Guo et al. 2017). */
function calibrationError(stated: Float64Array, hit: Uint8Array): number {
  const sums = Array.from({ length: BINS }, () => ({ stated: 0, hits: 0 }));
  for (let i = 0; i < stated.length; i++) {
    const bin = sums[Math.min(BINS - 1, Math.floor(stated[i]! * BINS))]!;
    bin.stated += stated[i]!;
    bin.hits += hit[i]!;
  }
  return sums.reduce((sum, bin) => sum + Math.abs(bin.stated - bin.hits), 0) / stated.length;
}

const rounded = (value: number): number => Number(value.toFixed(DIGITS));

/** The curve in force taken back, so that a new one can be fitted: corrections are made on raw confidences. */
function fit(simulation: Simulation): Calibration {
  const learnt = run(simulation, FIT_SEED);
  const curve: Knots = isotonicFit(learnt.stated, learnt.hit, LEAST_POOL).map(
    ([x, y]) => [rounded(x), rounded(y)] as const,
  );
  const checked = run(simulation, CHECK_SEED);
  const corrected = checked.stated.map((raw) => knotsAt(curve, raw));
  return {
    basis: simulation.basis,
    curve,
    cases: CASES,
    ece: rounded(calibrationError(corrected, checked.hit)),
    rawEce: rounded(calibrationError(checked.stated, checked.hit)),
    coverage90: rounded(checked.covered / checked.intervals),
  };
}

function write(found: ReadonlyMap<Peril, readonly Calibration[]>): void {
  const entries = (['flood', 'subsidence', 'wildfire', 'storm'] as const).map(
    (peril) => `  ${peril}: ${JSON.stringify(found.get(peril) ?? [])},`,
  );
  writeFileSync(
    join(import.meta.dirname, '../src/risk/calibration-figures.ts'),
    [
      "import type { Peril } from './assessment.ts';",
      "import type { Calibration } from './calibration.ts';",
      '',
      '/** Written by `node bench/calibration.ts --write`: not by hand. */',
      'export const CALIBRATIONS: Readonly<Record<Peril, readonly Calibration[]>> = {',
      ...entries,
      '};',
      '',
    ].join('\n'),
  );
}

const writes = process.argv.includes('--write');
const isCorrected = (['flood', 'storm', 'wildfire', 'subsidence'] as const).some(
  (peril) => calibrationsOf(peril).length > 0,
);
if (writes && isCorrected) {
  write(new Map());
  console.error(
    'The corrections in force were taken out: run the same again to fit new ones to the raw confidences.',
  );
  process.exitCode = 1;
} else {
  const found = new Map<Peril, Calibration[]>();
  for (const simulation of SIMULATIONS) {
    const { peril, basis } = simulation;
    if (writes) found.set(peril, [...(found.get(peril) ?? []), fit(simulation)]);
    const { stated, hit, intervals, covered } = run(simulation, CHECK_SEED);
    const ece = writes ? found.get(peril)!.at(-1)!.ece : calibrationError(stated, hit);
    const coverage = covered / intervals;
    const verdict = ece <= ECE_BUDGET && Math.abs(coverage - 0.9) <= COVERAGE_BUDGET ? 'within' : 'OVER';
    console.log(
      `${peril.padEnd(8)} ${basis.padEnd(8)} ${CASES} cases: calibration error ${(100 * ece).toFixed(2)} points, ` +
        `90 % intervals cover ${(100 * coverage).toFixed(1)} %  ${verdict} ${100 * ECE_BUDGET} points, 90 +- ${100 * COVERAGE_BUDGET} %`,
    );
  }
  if (writes) write(found);
}

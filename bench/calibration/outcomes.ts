import type { Explanation, Peril } from '../../src/risk/assessment.ts';
import { percentile } from '../../src/numerics/percentile.ts';
import { RISK_MODELS } from '../../src/risk/models.ts';
import { Random, type SimulatedCase } from './simulated-case.ts';

const BINS = 10;
const BAND = 0.1; // of the score: contract "Confidence"
const ONE_TAIL = 0.05; // of a 90 % interval
/** Slack that keeps a truth on the band's edge inside it, as src/risk/confidence.ts does. */
const EDGE = 1e-9;

/** A kind of evidence whose answers are checked against known truth. */
export interface CalibrationCheck {
  readonly peril: Peril;
  readonly basis: string;
  /** Makes the source of cases; null where data that it needs are absent. */
  readonly open: () => Promise<((random: Random) => SimulatedCase) | null>;
  /** False for a check alone: the correction was not fitted to it. */
  readonly isOfCorrection?: false;
  /** Basis whose correction its answers take, when it is not its own. */
  readonly correctedAs?: string;
  /** Highest confidence of such answers. */
  readonly highest?: number;
  /** Cases, where the data do not carry as many as a simulation. */
  readonly cases?: number;
  /** Names the stratum of an answer, from what the service knew. */
  readonly stratumOf?: (found: Explanation) => string;
}

/** Answers of one check or stratum beside the truth. */
export interface Outcomes {
  readonly stated: number[];
  /** 1 where the true score was within 0.1 of the given one. */
  readonly hit: number[];
  /** Unit of each, where cases share their luck. */
  readonly units: string[];
  /** Intervals of each unit, and those that hold the truth, as below. */
  readonly ofUnits: Map<string, { intervals: number; covered: number }>;
  intervals: number;
  /** Of them, those that hold the truth; what one-sided ones hold beyond 90 % is taken off. */
  covered: number;
  /** Intensities called surely 0, and how many of them are. */
  zeros: number;
  trueZeros: number;
}

const none = (): Outcomes => ({
  stated: [],
  hit: [],
  units: [],
  ofUnits: new Map(),
  intervals: 0,
  covered: 0,
  zeros: 0,
  trueZeros: 0,
});

/** Runs a check; all of it under the name '', then each stratum. Null where its data are absent. */
export async function outcomesOf(
  check: CalibrationCheck,
  cases: number,
  seed: number,
): Promise<ReadonlyMap<string, Outcomes> | null> {
  const make = await check.open();
  if (make === null) return null;
  const random = new Random(seed);
  const found = new Map<string, Outcomes>([['', none()]]);
  for (let i = 0; i < (check.cases ?? cases); i++) {
    const { cards, readings, lat, lng, trueScore, trueIntensity, unit } = make(random);
    const answer = RISK_MODELS[check.peril].prepare(cards).explain(readings, lat, lng);
    const into = [found.get('')!];
    if (check.stratumOf !== undefined) {
      const stratum = check.stratumOf(answer);
      if (!found.has(stratum)) found.set(stratum, none());
      into.push(found.get(stratum)!);
    }
    for (const outcome of into) {
      const { intervals, covered } = outcome;
      add(outcome, answer, trueScore, trueIntensity);
      if (unit === undefined) continue;
      outcome.units.push(unit);
      const own = outcome.ofUnits.get(unit) ?? { intervals: 0, covered: 0 };
      own.intervals += outcome.intervals - intervals;
      own.covered += outcome.covered - covered;
      outcome.ofUnits.set(unit, own);
    }
  }
  return found;
}

function add(
  into: Outcomes,
  answer: Explanation,
  trueScore: number,
  trueIntensity: (returnPeriodYears: number) => number,
): void {
  into.stated.push(answer.confidence);
  into.hit.push(Math.abs(answer.riskScore - trueScore) <= BAND + EDGE ? 1 : 0);
  for (const { returnPeriodYears, low, high } of answer.hazardCurve) {
    const truth = trueIntensity(returnPeriodYears);
    if (high === low) {
      into.zeros++;
      if (truth === high) into.trueZeros++;
      continue;
    }
    into.intervals++;
    if (truth >= low && truth <= high) into.covered++;
    // An interval that begins at dry ground leaves nothing out below: its nominal share is 95 %.
    if (low === 0) into.covered -= ONE_TAIL;
  }
}

export interface Measured {
  readonly cases: number;
  /** Null where every case is its own, or units are too few. */
  readonly perfect: Perfect | null;
  /** Expected calibration error [1]: mean distance of confidence and hits over ten equal bins (Guo et al. 2017). */
  readonly ece: number;
  /** Share of the nominal 90 % intervals that hold the truth; null where there are none. */
  readonly coverage90: number | null;
  /** Share of intensities called surely 0 that are; null where none was. */
  readonly surelyDry: number | null;
}

/** Where nine in ten perfect forecasters would come out on the same units. */
export interface Perfect {
  readonly units: number;
  /** Calibration error [1]. */
  readonly ece: readonly [low: number, high: number];
  /** Coverage of nominal 90 % intervals [1]. */
  readonly coverage90: readonly [low: number, high: number];
}

const RESAMPLES = 2000;
const RESAMPLE_SEED = 3;
/** Of fewer units a resampling tells nothing. */
const LEAST_UNITS = 10;

function binOf(stated: number): number {
  return Math.min(BINS - 1, Math.floor(stated * BINS));
}

/**
 * Bootstrap of whole units under the hypothesis of no error: what each exceeds the stated by, bin by bin, is taken from its
 * mean over the units, so that nothing but the luck of the units drawn is left, and raised for that mean's own degree of freedom.
 * @see doi:10.1162/rest.90.3.414 (Cameron, Gelbach & Miller 2008: clusters)
 */
function perfectOf(stated: readonly number[], { hit, units, ofUnits }: Outcomes): Perfect | null {
  const count = ofUnits.size;
  if (count < LEAST_UNITS) return null;
  const excess = new Map(Array.from(ofUnits.keys(), (unit) => [unit, new Float64Array(BINS + 1)] as const));
  for (const [i, unit] of units.entries()) excess.get(unit)![binOf(stated[i]!)]! += hit[i]! - stated[i]!;
  let intervals = 0;
  for (const [unit, own] of ofUnits) {
    intervals += own.intervals;
    excess.get(unit)![BINS] = own.covered - (1 - 2 * ONE_TAIL) * own.intervals;
  }
  const rows = [...excess.values()];
  const means = rows[0]!.map((_, b) => rows.reduce((sum, row) => sum + row[b]!, 0) / count);
  const raise = Math.sqrt(count / (count - 1));
  const random = new Random(RESAMPLE_SEED);
  const errors = new Float64Array(RESAMPLES);
  const coverages = new Float64Array(RESAMPLES);
  for (let r = 0; r < RESAMPLES; r++) {
    const sums = new Float64Array(BINS + 1);
    for (let k = 0; k < count; k++) {
      const row = random.pick(rows);
      for (let b = 0; b <= BINS; b++) sums[b]! += raise * (row[b]! - means[b]!);
    }
    for (let b = 0; b < BINS; b++) errors[r]! += Math.abs(sums[b]!) / stated.length;
    coverages[r] = 1 - 2 * ONE_TAIL + sums[BINS]! / intervals;
  }
  const range = (values: Float64Array): readonly [number, number] => [
    percentile(values, ONE_TAIL),
    percentile(values, 1 - ONE_TAIL),
  ];
  return { units: count, ece: range(errors), coverage90: range(coverages) };
}

/** @param correct what is made of a stated confidence before it is compared */
export function measured(outcome: Outcomes, correct: (stated: number) => number): Measured {
  const sums = Array.from({ length: BINS }, () => ({ stated: 0, hits: 0 }));
  const stated = outcome.stated.map(correct);
  for (const [i, confidence] of stated.entries()) {
    const bin = sums[binOf(confidence)]!;
    bin.stated += confidence;
    bin.hits += outcome.hit[i]!;
  }
  const cases = outcome.stated.length;
  return {
    cases,
    perfect: perfectOf(stated, outcome),
    ece: sums.reduce((sum, bin) => sum + Math.abs(bin.stated - bin.hits), 0) / cases,
    coverage90: outcome.intervals === 0 ? null : outcome.covered / outcome.intervals,
    surelyDry: outcome.zeros === 0 ? null : outcome.trueZeros / outcome.zeros,
  };
}

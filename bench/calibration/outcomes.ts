import type { Explanation, Peril } from '../../src/risk/assessment.ts';
import { percentile } from '../../src/numerics/percentile.ts';
import { RISK_MODELS } from '../../src/risk/models.ts';
import { Random, type SimulatedCase } from './simulated-case.ts';

const BINS = 10;
const BAND = 0.1; // the confidence is the probability that the score is within this distance of the true score
const ONE_TAIL = 0.05; // probability of each tail of a 90 % interval
/** Rounding tolerance: a true score on the edge of the band counts as inside, as in src/risk/confidence.ts. */
const EDGE = 1e-9;

/** A kind of evidence whose assessments are compared with the truth. */
export interface CalibrationCheck {
  readonly peril: Peril;
  readonly basis: string;
  /** Creates the generator of cases; null when its data are absent. */
  readonly open: () => Promise<((random: Random) => SimulatedCase) | null>;
  /** False if no correction is fitted to the cases of this check; absent: one is fitted. */
  readonly isOfCorrection?: false;
  /** Basis whose correction these assessments use; absent: the basis of this check. */
  readonly correctedAs?: string;
  /** Upper limit that the model sets to the confidence of these assessments. */
  readonly highest?: number;
  /** Number of cases of this check; absent: the same number as for simulated cases. */
  readonly cases?: number;
  /** Returns the name of the stratum of an assessment. */
  readonly stratumOf?: (found: Explanation) => string;
}

/** Assessments of one check or stratum, compared with the truth. */
export interface Outcomes {
  readonly stated: number[];
  /** For each assessment 1 if the true score is within 0.1 of the assessed score, else 0. */
  readonly hit: number[];
  /** Unit of each case (see {@link SimulatedCase.unit}); empty when all cases are independent. */
  readonly units: string[];
  /** Numbers of intervals and of covered intervals in each unit, counted like `intervals` and `covered` below. */
  readonly ofUnits: Map<string, { intervals: number; covered: number }>;
  intervals: number;
  /**
   * Number of intervals that contain the truth, less 0.05 for each one-sided interval, whose nominal coverage is 95 %
   * instead of 90 %.
   */
  covered: number;
  /** Number of intensities stated as certainly 0; `trueZeros`: number of these that are truly 0. */
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

/** Runs a check. Returns all outcomes under the key '' and each stratum under its name; null if the data are absent. */
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
    // No value is below an interval that starts at 0, so its nominal coverage is 95 %.
    if (low === 0) into.covered -= ONE_TAIL;
  }
}

export interface Measured {
  readonly cases: number;
  /** Expected results with perfect calibration; null when all cases are independent or the units are too few. */
  readonly perfect: Perfect | null;
  /**
   * Expected calibration error [1]: mean absolute difference between the mean confidence and the share of hits, over
   * ten equal bins (Guo et al. 2017).
   */
  readonly ece: number;
  /** Share of the nominal 90 % intervals that contain the truth; null without intervals. */
  readonly coverage90: number | null;
  /** Share of the intensities stated as certainly 0 that are truly 0; null if no intensity was stated so. */
  readonly surelyDry: number | null;
}

/**
 * Ranges that contain the results of a perfectly calibrated model in 90 % of the bootstrap samples of the same units.
 */
export interface Perfect {
  readonly units: number;
  /** Calibration error [1]. */
  readonly ece: readonly [low: number, high: number];
  /** Coverage of nominal 90 % intervals [1]. */
  readonly coverage90: readonly [low: number, high: number];
}

const RESAMPLES = 2000;
const RESAMPLE_SEED = 3;
/** Minimum number of units for the bootstrap. */
const LEAST_UNITS = 10;

function binOf(stated: number): number {
  return Math.min(BINS - 1, Math.floor(stated * BINS));
}

/**
 * Bootstrap of whole units under the hypothesis of perfect calibration. From each unit's excess of hits over stated
 * confidence, bin by bin, the mean over the units is subtracted, so that only the sampling error of the units
 * remains. The result is scaled by sqrt(n / (n - 1)) because the mean takes one degree of freedom.
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

/**
 * Computes the calibration figures of outcomes.
 * @param correct correction applied to each stated confidence first
 */
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

import type { Explanation, Peril } from '../../src/risk/assessment.ts';
import type { Knots } from '../../src/numerics/isotonic.ts';
import { percentile } from '../../src/numerics/percentile.ts';
import { RISK_MODELS } from '../../src/risk/models.ts';
import { type ScoreDistribution, ScoreOutlook } from '../../src/risk/score-distribution.ts';
import { Random, type SimulatedCase } from './simulated-case.ts';

const BINS = 10;
const ONE_TAIL = 0.05; // probability of each tail of a 90 % interval
/** The confidence is the probability that the score is within this distance of the true score [score]. */
export const BAND = 0.1;
/** Rounding tolerance: a true score on the edge of the band counts as inside, as in src/risk/confidence.ts. */
export const EDGE = 1e-9;
/** Minimum number of cases of a point of a reliability curve. */
const LEAST_POINT = 100;

/** Cases of one peril whose assessments are compared with the truth. */
export interface CalibrationCheck {
  readonly peril: Peril;
  readonly basis: string;
  /** Creates the generator of cases; null when its data are absent. */
  readonly open: () => Promise<((random: Random) => SimulatedCase) | null>;
  readonly cases: number;
  /**
   * For a check on real data: the basis of the simulated check within the model that has the same kind of evidence. What
   * it has of calibration error is the model's own; the rest of the real one is doubt about the model that these data, whose
   * damage is drawn from the model, do not hold.
   */
  readonly beside?: string;
}

/** Assessments of one check, basis or stratum, compared with the truth. */
export interface Outcomes {
  /** Basis of each assessment. */
  readonly bases: string[];
  readonly stated: number[];
  /** For each assessment 1 if the true score is within 0.1 of the assessed score, else 0. */
  readonly hit: number[];
  /** For each assessment its score, the true score, and the 90 % range. */
  readonly scores: number[];
  readonly truths: number[];
  readonly lows: number[];
  readonly highs: number[];
  /** For each assessment the block of places that it is left out with in cross-validation. */
  readonly blocks: number[];
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

export const none = (): Outcomes => ({
  bases: [],
  stated: [],
  hit: [],
  scores: [],
  truths: [],
  lows: [],
  highs: [],
  blocks: [],
  units: [],
  ofUnits: new Map(),
  intervals: 0,
  covered: 0,
  zeros: 0,
  trueZeros: 0,
});

/** Runs a check; null if its data are absent. */
export async function outcomesOf(check: CalibrationCheck, seed: number): Promise<Outcomes | null> {
  const make = await check.open();
  if (make === null) return null;
  const random = new Random(seed);
  const outcome = none();
  for (let i = 0; i < check.cases; i++) {
    const { cards, readings, lat, lng, trueScore, trueIntensity, unit } = make(random);
    const answer = RISK_MODELS[check.peril].prepare(cards).explain(readings, lat, lng);
    const { intervals, covered } = outcome;
    add(outcome, answer, trueScore, trueIntensity, 0);
    if (unit === undefined) continue;
    outcome.units.push(unit);
    const own = outcome.ofUnits.get(unit) ?? { intervals: 0, covered: 0 };
    own.intervals += outcome.intervals - intervals;
    own.covered += outcome.covered - covered;
    outcome.ofUnits.set(unit, own);
  }
  return outcome;
}

/**
 * Adds an assessment and its truth.
 * @param trueIntensity without it, the hazard curve is not checked
 */
export function add(
  into: Outcomes,
  answer: Explanation,
  trueScore: number,
  trueIntensity: ((returnPeriodYears: number) => number) | undefined,
  block: number,
): void {
  into.bases.push(answer.evidence.basis);
  into.stated.push(answer.confidence);
  into.hit.push(Math.abs(answer.riskScore - trueScore) <= BAND + EDGE ? 1 : 0);
  into.scores.push(answer.riskScore);
  into.truths.push(trueScore);
  into.lows.push(answer.range.low);
  into.highs.push(answer.range.high);
  into.blocks.push(block);
  if (trueIntensity === undefined) return;
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
  /** Share of the 90 % ranges of the score that contain the true score, and that it is below or above them [1]. */
  readonly rangeCoverage90: number;
  readonly rangeMisses: readonly [below: number, above: number];
  /** Share of the ranges that end at 0 or 1, and hold 95 % if they are right [1]. */
  readonly oneSided: number;
  readonly meanWidth: number;
  /** Mean interval score of the ranges: width, plus 20 times the distance of truths outside (Gneiting & Raftery 2007). */
  readonly intervalScore: number;
  /** Mean squared difference between stated confidence and hit. */
  readonly brier: number;
  /** Mean confidence and share of hits in each bin with LEAST_POINT cases. */
  readonly reliability: Knots;
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
 */
export function measured(outcome: Outcomes): Measured {
  const sums = Array.from({ length: BINS }, () => ({ stated: 0, hits: 0, count: 0 }));
  const { stated, truths, lows, highs } = outcome;
  for (const [i, confidence] of stated.entries()) {
    const bin = sums[binOf(confidence)]!;
    bin.count++;
    bin.stated += confidence;
    bin.hits += outcome.hit[i]!;
  }
  const cases = stated.length;
  const mean = (of: (i: number) => number): number => stated.reduce((sum, _, i) => sum + of(i), 0) / cases;
  const below = mean((i) => Number(truths[i]! < lows[i]! - EDGE));
  const above = mean((i) => Number(truths[i]! > highs[i]! + EDGE));
  const miss = (i: number): number => Math.max(0, lows[i]! - truths[i]!, truths[i]! - highs[i]!);
  return {
    cases,
    perfect: perfectOf(stated, outcome),
    ece: sums.reduce((sum, bin) => sum + Math.abs(bin.stated - bin.hits), 0) / cases,
    coverage90: outcome.intervals === 0 ? null : outcome.covered / outcome.intervals,
    rangeCoverage90: 1 - below - above,
    rangeMisses: [below, above],
    oneSided: mean((i) => Number(lows[i] === 0 || highs[i] === 1)),
    meanWidth: mean((i) => highs[i]! - lows[i]!),
    intervalScore: mean((i) => highs[i]! - lows[i]! + miss(i) / ONE_TAIL),
    brier: mean((i) => (stated[i]! - outcome.hit[i]!) ** 2),
    reliability: sums.flatMap((bin) =>
      bin.count < LEAST_POINT ? [] : [[bin.stated / bin.count, bin.hits / bin.count] as const],
    ),
    surelyDry: outcome.zeros === 0 ? null : outcome.trueZeros / outcome.zeros,
  };
}

/**
 * Returns raw outcomes with each confidence and range by the distribution of its basis, if that has one, as
 * `conclude` of src/risk/conclusion.ts states them.
 */
export function corrected(
  outcome: Outcomes,
  distributionOf: (basis: string, i: number) => ScoreDistribution | undefined,
): Outcomes {
  const outlooks = outcome.stated.map((raw, i) => {
    const distribution = distributionOf(outcome.bases[i]!, i);
    return distribution === undefined ? null : new ScoreOutlook(distribution, outcome.scores[i]!, raw);
  });
  const ranges = outlooks.map((outlook) => outlook?.range());
  return {
    ...outcome,
    stated: outcome.stated.map((raw, i) => outlooks[i]?.confidence ?? raw),
    lows: outcome.lows.map((low, i) => ranges[i]?.low ?? low),
    highs: outcome.highs.map((high, i) => ranges[i]?.high ?? high),
  };
}

/** Returns all assessments of several outcomes together, without their hazard curves. */
export function pooled(outcomes: readonly Outcomes[]): Outcomes {
  return {
    ...none(),
    bases: outcomes.flatMap(({ bases }) => bases),
    stated: outcomes.flatMap(({ stated }) => stated),
    hit: outcomes.flatMap(({ hit }) => hit),
    scores: outcomes.flatMap(({ scores }) => scores),
    truths: outcomes.flatMap(({ truths }) => truths),
    lows: outcomes.flatMap(({ lows }) => lows),
    highs: outcomes.flatMap(({ highs }) => highs),
    blocks: outcomes.flatMap(({ blocks }) => blocks),
  };
}

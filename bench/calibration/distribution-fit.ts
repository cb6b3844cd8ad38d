import { recalibrate, type Level } from '../../src/numerics/accuracy/recalibration.ts';
import { knotsAt, type Knots } from '../../src/numerics/isotonic.ts';
import { percentile } from '../../src/numerics/percentile.ts';
import {
  type ScoreDistribution,
  ScoreOutlook,
  SHAPE_PROBABILITIES,
  type ScoreShape,
} from '../../src/risk/score-distribution.ts';
import { BAND, EDGE, type Outcomes } from './outcomes.ts';

/** Minimum number of cases of one step of the scale. */
const LEAST_POOL = 500;
/** Minimum number of cases of one shape, and of a shape of scores of 0 (our choice). */
const LEAST_SHAPE = 700;
const MAX_SHAPES = 8;
/** Rounds in which the shapes are fitted to the scale and the scale to the shapes. */
const ROUNDS = 5;
/** Maximum number of cases that the scale of one step is solved on. */
const SOLVED_ON = 400;
const BISECTIONS = 25;
/** Bounds of a scale [score]. */
const SCALES = [0.003, 1.5] as const;
const DIGITS = 4;

const rounded = (value: number): number => Number(value.toFixed(DIGITS));

/**
 * Fits the distribution of the true score of answers of one basis: a scale by the confidence of the draws, and shapes by
 * the given score. On every step of the scale the mean confidence is the share of answers that hold (isotonic), and in
 * every band of scores the shape has the quantiles of the truths. The two are fitted in turns.
 */
export function fitDistribution({ stated, scores, truths }: Outcomes): ScoreDistribution {
  const residuals = truths.map((truth, i) => truth - scores[i]!);
  const hits = residuals.map((residual) => (Math.abs(residual) <= BAND + EDGE ? 1 : 0));
  const steps = recalibrate(stated, hits, undefined, LEAST_POOL);
  const members = steps.map(({ from, to }) =>
    [...stated.keys()].filter((i) => stated[i]! >= from && stated[i]! <= to),
  );
  let scale = stepped(
    steps,
    members.map((of) => of.reduce((sum, i) => sum + Math.abs(residuals[i]!), 0) / of.length),
  );
  let shapes: readonly ScoreShape[] = [];
  // The scale is fitted last: the confidence is in every answer, the range in explanations only.
  for (let round = 0; round < ROUNDS; round++) {
    const current = shapesOf(scores, residuals, stated, scale);
    const solved = steps.map(({ frequency }, s) => solve(members[s]!, scores, current, frequency));
    scale = stepped(steps, solved);
    shapes = current;
  }
  return {
    scale: scale.map(([x, y]) => [rounded(x), rounded(y)] as const),
    shapes: shapes.map(({ score, quantiles }) => ({
      score: rounded(score),
      quantiles: quantiles.map(rounded),
    })),
  };
}

/** Scale at which the mean confidence of the cases is the given share. */
function solve(
  of: readonly number[],
  scores: readonly number[],
  shapes: readonly ScoreShape[],
  share: number,
): number {
  const stride = Math.max(1, Math.floor(of.length / SOLVED_ON));
  const cases = of.filter((_, i) => i % stride === 0);
  let [low, high] = SCALES as readonly [number, number];
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = Math.sqrt(low * high);
    const distribution = { scale: [[0, middle]] as const, shapes };
    const mean =
      cases.reduce((sum, i) => sum + new ScoreOutlook(distribution, scores[i]!, 0).confidence, 0) /
      cases.length;
    if (mean > share) low = middle;
    else high = middle;
  }
  return Math.sqrt(low * high);
}

/** The scale as a function of the confidence of the draws that never increases: the isotonic fit of its logarithm. */
function stepped(steps: readonly Level[], values: readonly number[]): Knots {
  const pools = recalibrate(
    steps.map((_, s) => s),
    values.map((value) => -Math.log(Math.max(SCALES[0], value))),
    steps.map(({ weight }) => weight),
  );
  return steps.flatMap(({ from, to }, s) => {
    const value = Math.exp(-pools.find((pool) => s >= pool.from && s <= pool.to)!.frequency);
    return from === to ? [[from, value] as const] : [[from, value] as const, [to, value] as const];
  });
}

/** Shapes of scores of 0, and of bands of the others with equal numbers of cases. */
function shapesOf(
  scores: readonly number[],
  residuals: readonly number[],
  stated: readonly number[],
  scale: Knots,
): ScoreShape[] {
  const order = [...scores.keys()].sort((a, b) => scores[a]! - scores[b]!);
  const zeros = order.filter((i) => scores[i] === 0);
  const hasZeros = zeros.length >= LEAST_SHAPE || zeros.length === order.length;
  const rest = hasZeros ? order.slice(zeros.length) : order;
  const count = Math.min(MAX_SHAPES, Math.max(hasZeros ? 0 : 1, Math.floor(rest.length / LEAST_SHAPE)));
  const bands = Array.from({ length: count }, (_, b) =>
    rest.slice(Math.round((b * rest.length) / count), Math.round(((b + 1) * rest.length) / count)),
  );
  const medianOf = (band: readonly number[]): number => scores[band[band.length >> 1]!]!;
  // Bands of the same score are one, because a shape is found by its score.
  const joined = bands.reduce<(readonly number[])[]>((kept, band) => {
    const last = kept.at(-1);
    if (last !== undefined && rounded(medianOf(last)) === rounded(medianOf(band)))
      kept[kept.length - 1] = [...last, ...band];
    else kept.push(band);
    return kept;
  }, []);
  return [...(hasZeros ? [zeros] : []), ...joined].map((band) => {
    const scaled = Float64Array.from(band, (i) => residuals[i]! / knotsAt(scale, stated[i]!));
    return {
      score: medianOf(band),
      quantiles: SHAPE_PROBABILITIES.map((p) => percentile(scaled, p)),
    };
  });
}

import { levelOfRate } from '../exceedance-rate.ts';

/**
 * Return period [years] from which a tail is fitted: rarer levels rest on so few storms that the counts alone would
 * follow single tracks (our choice).
 */
const TAIL_RETURN_PERIOD_YEARS = 20;
/** Bounds of Hosking's shape k of the tail [1]: from slightly heavier than exponential to a uniform tail (our choice). */
const SHAPES = [-0.1, 1] as const;
/** Number of steps of the trapezium rule between two levels. */
const STEPS = 8;

/** Threshold and first two L-moments of the excesses over it [m/s]. */
interface Tail {
  readonly thresholdMps: number;
  /** Rate at which the threshold is exceeded [1/yr]. */
  readonly rate: number;
  readonly l1: number;
  readonly l2: number;
}

/**
 * Return levels of the wind from the rates at which levels are exceeded. Up to return periods of 20 years they are
 * interpolated; beyond, they follow a generalised Pareto distribution of the excesses over the 20-year level (or over
 * the lowest level, if that is rarer). Its mean excess comes from the rates at the place and its shape from the rates
 * of the region, both by L-moments: `k = l1/l2 - 2`, `scale = (1 + k) l1`.
 * @param levels ascending [m/s]
 * @param rates rate of each level at the place [1/yr], never increasing
 * @param regional the same, of the surrounding region
 * @param wanted rates of the return levels [1/yr]
 * @returns one level per wanted rate [m/s]; 0 where even the lowest level is exceeded less often
 * @see Hosking & Wallis 1987, doi:10.1080/00401706.1987.10488243
 */
export function tailedLevels(
  levels: ArrayLike<number>,
  rates: ArrayLike<number>,
  regional: ArrayLike<number>,
  wanted: readonly number[],
): number[] {
  const tail = tailOf(levels, rates);
  const shape = shapeOf(tailOf(levels, regional));
  return wanted.map((rate) => {
    if (!(rate < tail.rate)) return levelOfRate(levels, rates, rate);
    const scale = (1 + shape) * tail.l1;
    const ratio = rate / tail.rate;
    const excess = Math.abs(shape) < 1e-6 ? -Math.log(ratio) : (1 - ratio ** shape) / shape;
    return tail.thresholdMps + scale * excess;
  });
}

function shapeOf({ l1, l2 }: Tail): number {
  const shape = l2 > 0 ? l1 / l2 - 2 : SHAPES[1];
  return Math.min(SHAPES[1], Math.max(SHAPES[0], shape));
}

/** L-moments of the excesses over the threshold: `l1 = int S`, `l2 = int S (1 - S)`, with S the survival function. */
function tailOf(levels: ArrayLike<number>, rates: ArrayLike<number>): Tail {
  const limit = -Math.log1p(-1 / TAIL_RETURN_PERIOD_YEARS);
  const rate = Math.min(limit, rates[0]!);
  const thresholdMps = rates[0]! > limit ? levelOfRate(levels, rates, limit) : levels[0]!;
  let l1 = 0;
  let squares = 0;
  for (let i = 1; i < levels.length; i++) {
    if (!(rate > 0)) break;
    const [from, to] = [levels[i - 1]!, levels[i]!];
    if (to <= thresholdMps) continue;
    if (!(rates[i - 1]! > 0)) break;
    // Beyond the last storm the rate is 0: let it fall to a thousandth within the step.
    const end = rates[i]! > 0 ? rates[i]! : rates[i - 1]! / 1000;
    const start = Math.max(from, thresholdMps);
    const step = (to - start) / STEPS;
    for (let n = 0; n <= STEPS; n++) {
      const t = (start + n * step - from) / (to - from);
      const survival = Math.min(1, (rates[i - 1]! * (end / rates[i - 1]!) ** t) / rate);
      const weight = n === 0 || n === STEPS ? step / 2 : step;
      l1 += weight * survival;
      squares += weight * survival * survival;
    }
  }
  return { thresholdMps, rate, l1, l2: l1 - squares };
}

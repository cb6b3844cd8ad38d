import { Climatology, MIN_OBSERVATIONS } from './climatology.ts';
import { GammaLaw } from './gamma-law.ts';
import { LevelHistory } from './level-history.ts';
import { NORMAL_LAW, type MetricLaw, type SeasonalLaw } from './metric-law.ts';
import { nearDeviate, nearTail, studentDeviate, studentTail } from '../numerics/student-tail.ts';

/**
 * Tail probability at or above which an observation is back within bounds (our choice): four times the threshold at
 * which an anomaly starts. With one threshold for both, an anomaly near it would end and restart repeatedly.
 */
export const END_PROBABILITY = 0.2;
/**
 * Departure below which the two-sided tail of every t distribution is above `END_PROBABILITY`: the value for the
 * normal distribution [standard deviations].
 */
const END_DEPARTURE = 1.281552;
/**
 * Departure below which the two-sided tail of every t distribution is above .05, the limit of a low severity
 * [standard deviations]: the value for the normal distribution.
 */
const LOW_DEPARTURE = 1.959963;

/**
 * The approximation `nearTail` is accurate enough for tail probabilities above this value (our choice): the distance
 * from .06 to .05, where a low severity begins, is larger than the error of the approximation.
 */
const NEAR_PROBABILITY = 0.06;

/** A series to be judged: the observations of a metric over an AOI or at a station. */
export interface ObservedSeries {
  /** Milliseconds since the Unix epoch, ascending. */
  readonly timesMs: Float64Array;
  /** Observed values [metric unit]; NaN for a gap. */
  readonly values: Float64Array;
  /** Distribution of the values; normal if absent. */
  readonly law?: MetricLaw;
}

/** Each observation of a series compared with the expectation from earlier ones; NaN where it was not judged. */
export interface Judgement {
  /** Expected median [metric unit]. */
  readonly expected: Float64Array;
  /**
   * Value minus expected value, in standard deviations of the metric's distribution, including the uncertainty of the
   * baseline. A sparse history may allow several distributions. The departure is then the t deviate whose tail
   * probability is the weighted mean of the tail probabilities under these distributions.
   */
  readonly departure: Float64Array;
  /** Degrees of freedom of the t distribution of `departure`. */
  readonly freedom: Float64Array;
  /**
   * Two-sided tail probability, before false-discovery control. Above .05 its relative error is up to a thirtieth.
   * It is set to 1 where it is certainly not below `END_PROBABILITY`.
   */
  readonly tailProbability: Float64Array;
}

/** Expectation of the next observation, on the scale on which its distribution is normal. */
interface Forecaster {
  readonly expected: number;
  readonly spread: number;
  readonly scale: number;
  readonly freedom: number;
  predict(index: number): boolean;
  add(index: number): void;
}

/**
 * Judges each observation from earlier observations alone, against a robust seasonal baseline or, for a law of kind
 * `level`, against the latest level. An observation is not judged if it is a gap, if fewer than 15 observations
 * precede it or they span less than a year, or if its season has no history. A departure in one direction that lasts
 * longer than `newStateMs` is a new state: all observations before its start are dropped.
 * @throws RangeError when the arrays differ in length or times do not ascend
 */
export function judge(series: ObservedSeries): Judgement {
  const { timesMs, values, law = NORMAL_LAW } = series;
  const n = timesMs.length;
  if (values.length !== n) throw new RangeError(`${n} times but ${values.length} values`);
  for (let i = 1; i < n; i++) {
    if (!(timesMs[i]! >= timesMs[i - 1]!))
      throw new RangeError(`times must ascend: observation ${i} does not`);
  }
  const judged: Judgement = {
    expected: new Float64Array(n).fill(Number.NaN),
    departure: new Float64Array(n).fill(Number.NaN),
    freedom: new Float64Array(n).fill(Number.NaN),
    tailProbability: new Float64Array(n).fill(Number.NaN),
  };
  if (law.kind === 'level') judgeLevel(timesMs, values, law.memoryMs, judged);
  else judgeSeason(timesMs, values, law, judged);
  return judged;
}

/**
 * Two-sided tail probability of a judged observation to full precision, also where `tailProbability` is 1 or
 * approximate.
 */
export function tailOf(judged: Judgement, index: number): number {
  return studentTail(judged.departure[index]!, judged.freedom[index]!);
}

function judgeLevel(timesMs: Float64Array, values: Float64Array, memoryMs: number, judged: Judgement): void {
  const history: Forecaster = new LevelHistory(timesMs, values, memoryMs);
  for (let i = 0; i < timesMs.length; i++) {
    if (!Number.isFinite(values[i])) continue;
    if (history.predict(i)) {
      judged.expected[i] = history.expected;
      tell(judged, i, (values[i]! - history.expected) / history.scale, history.freedom);
    }
    history.add(i);
  }
}

function judgeSeason(timesMs: Float64Array, values: Float64Array, law: SeasonalLaw, judged: Judgement): void {
  const n = timesMs.length;
  const transformed = toNormal(law, values);
  const trace = law.kind === 'gamma' ? law.trace : Number.NEGATIVE_INFINITY;
  const history = new Climatology(timesMs, transformed, law.memoryMs);
  const gamma = new GammaLaw();
  const run = new Run(timesMs, law.newStateMs);
  /** Computes the expectation for the block of an observation; all earlier observations must have been added. */
  const enter = (i: number): boolean => {
    if (!history.enter(i)) return false;
    if (law.kind === 'gamma') gamma.enter(history.spread, history.dryShare);
    return true;
  };
  const judgeOne = (i: number): void => {
    const mean = history.expected[i]!;
    if (law.kind === 'gamma') {
      const score = scoreOf(gamma, law, values[i]!, transformed[i]!, mean);
      judged.expected[i] = fromNormal(law, gamma.medianRoot(mean));
      tellOf(judged, i, score * history.spread, history);
    } else {
      judged.expected[i] = fromNormal(law, mean);
      tellOf(judged, i, transformed[i]! - mean, history);
    }
  };
  for (let i = 0; i < n;) {
    const end = history.blockEnd(i);
    for (let known = false; i < end; i++) {
      const value = values[i]!;
      if (!Number.isFinite(value)) continue;
      known ||= enter(i);
      if (known) {
        judgeOne(i);
        const began = run.follow(i, judged.departure[i]!, judged.tailProbability[i]!);
        if (began !== undefined) {
          history.forgetBefore(began);
          known = enter(i);
          if (known) judgeOne(i);
        }
      }
      if (value >= trace) history.add(i);
      else history.addDry(i);
    }
  }
}

/** Judges an observation by its residual, with one distribution or with all distributions that the history allows. */
function tellOf(judged: Judgement, i: number, residual: number, history: Climatology): void {
  const { scale, freedom, narrowest } = history;
  const size = Math.abs(residual);
  if (narrowest === scale || size < END_DEPARTURE * narrowest) {
    tell(judged, i, residual / scale, freedom);
    return;
  }
  const laws = history.laws(i);
  let p = 0;
  for (const law of laws) p += law.weight * nearTail(size / law.scale, law.freedom);
  const isNear = p > NEAR_PROBABILITY;
  if (!isNear) {
    p = 0;
    for (const { weight, scale: wide, freedom: worth } of laws)
      p += weight * (size < LOW_DEPARTURE * wide ? nearTail : studentTail)(size / wide, worth);
  }
  judged.tailProbability[i] = p;
  judged.departure[i] = Math.sign(residual) * (isNear ? nearDeviate(p, freedom) : studentDeviate(p, freedom));
  judged.freedom[i] = freedom;
}

function tell(judged: Judgement, i: number, departure: number, freedom: number): void {
  judged.departure[i] = departure;
  judged.freedom[i] = freedom;
  const size = Math.abs(departure);
  if (size < END_DEPARTURE) judged.tailProbability[i] = 1;
  else
    judged.tailProbability[i] = size < LOW_DEPARTURE ? nearTail(size, freedom) : studentTail(size, freedom);
}

/**
 * Score of a value by the gamma distribution: approximate where `nearScore` is accurate enough, otherwise exact.
 * @param root cube root of the value
 * @param mean mean cube root
 */
function scoreOf(
  gamma: GammaLaw,
  { power, trace }: SeasonalLaw & { readonly kind: 'gamma' },
  value: number,
  root: number,
  mean: number,
): number {
  if (!(value >= trace)) return gamma.zeroScore(raised(trace, power), mean);
  const near = gamma.nearScore(root, mean);
  if (!Number.isNaN(near)) return near;
  return gamma.score(raised(value, power), mean);
}

function raised(value: number, power: number): number {
  return power === 1 ? value : power === 2 ? value * value : value ** power;
}

/** The current run of consecutive departures in one direction. */
class Run {
  readonly #timesMs: Float64Array;
  #start = -1;
  #length = 0;
  #side = 0;

  readonly #newStateMs: number;

  constructor(timesMs: Float64Array, newStateMs: number) {
    this.#timesMs = timesMs;
    this.#newStateMs = newStateMs;
  }

  /**
   * Adds the next judged observation. Returns the index of the run's first observation once the run has lasted long
   * enough to be a new state; otherwise undefined.
   */
  follow(i: number, departure: number, tailProbability: number): number | undefined {
    const side = tailProbability < END_PROBABILITY ? Math.sign(departure) : 0;
    if (side === 0 || side !== this.#side) {
      this.#side = side;
      this.#start = i;
      this.#length = 0;
    }
    this.#length += 1;
    if (side === 0 || this.#length <= MIN_OBSERVATIONS) return undefined;
    if (this.#timesMs[i]! - this.#timesMs[this.#start]! <= this.#newStateMs) return undefined;
    this.#side = 0;
    return this.#start;
  }
}

/**
 * Converts values to the scale on which their distribution is nearly normal. Products and `Math.cbrt` take a tenth of
 * the time of `**`.
 */
function toNormal(law: SeasonalLaw, values: Float64Array): Float64Array {
  if (law.kind === 'normal') return values;
  const out = new Float64Array(values.length);
  if (law.kind === 'power')
    for (let i = 0; i < out.length; i++) out[i] = positive(values[i]!) ** law.exponent;
  else if (law.power === 1)
    for (let i = 0; i < out.length; i++) out[i] = values[i] === 0 ? 0 : Math.cbrt(values[i]!);
  else if (law.power === 2) for (let i = 0; i < out.length; i++) out[i] = Math.cbrt(values[i]! * values[i]!);
  else for (let i = 0; i < out.length; i++) out[i] = positive(values[i]!) ** (law.power / 3);
  return out;
}

/** Inverse of `toNormal` for one value. */
function fromNormal(law: SeasonalLaw, value: number): number {
  if (law.kind === 'normal') return value;
  if (!(value > 0)) return 0;
  if (law.kind === 'power')
    return law.exponent === 0.2 ? value * value * (value * value) * value : value ** (1 / law.exponent);
  if (law.power === 1) return value * value * value;
  return law.power === 2 ? value * Math.sqrt(value) : value ** (3 / law.power);
}

function positive(value: number): number {
  return value > 0 ? value : 0;
}

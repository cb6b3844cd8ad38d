import { Climatology, MIN_OBSERVATIONS } from './climatology.ts';
import { GammaLaw } from './gamma-law.ts';
import { LevelHistory } from './level-history.ts';
import { NORMAL_LAW, type MetricLaw, type SeasonalLaw } from './metric-law.ts';
import { nearTail, studentTail } from './student-tail.ts';

/**
 * Tail probability from which an observation is back within bounds (ours): four times that of a start, so that an
 * anomaly does not flicker about its threshold.
 */
export const END_PROBABILITY = 0.2;
/** Departure under which no law of Student's has a tail under `END_PROBABILITY`: the normal law's [standard deviations]. */
const END_DEPARTURE = 1.281552;
/** Departure under which no law of Student's has a tail of .05 or less, that of a low severity [standard deviations]. */
const LOW_DEPARTURE = 1.959963;
/** Departure under which the gamma law need not be worked out, since cube roots tell it to a tenth [standard deviations] (ours). */
const NEAR = 1.1;

/** One feed: the observations of a metric over an AOI or at a station. */
export interface FeedSeries {
  /** Milliseconds since the Unix epoch, ascending. */
  readonly timesMs: Float64Array;
  /** Metric unit; NaN is a gap. */
  readonly values: Float64Array;
  /** How its values scatter; normal where absent. */
  readonly law?: MetricLaw;
}

/** Each observation of a feed against what those before it led one to expect; NaN where it was not judged. */
export interface Judgement {
  /** Median of what was to be expected [metric unit]. */
  readonly expected: Float64Array;
  /** Value less expected in standard deviations of the metric's law, uncertainty of the baseline included. */
  readonly departure: Float64Array;
  /** Degrees of freedom of `departure`, which follows Student's law. */
  readonly freedom: Float64Array;
  /**
   * Two-sided, before false-discovery control; to a hundredth of itself above .05, and told as 1 where it is surely not
   * below `END_PROBABILITY`.
   */
  readonly tailProbability: Float64Array;
}

/** What a history says of the next observation, in the terms that its law is normal in. */
interface Forecaster {
  readonly expected: number;
  readonly spread: number;
  readonly scale: number;
  readonly freedom: number;
  predict(index: number): boolean;
  add(index: number): void;
}

/**
 * Judges each observation from those before it alone, against a robust seasonal baseline, or the latest level for a
 * metric of levels. Nothing is judged before 15 observations that span a year, in a season without history, or in a
 * gap. What has departed to one side without a break for as long as the law says is a new state: what came before is
 * forgotten.
 * @throws RangeError when the arrays differ in length or times do not ascend
 */
export function judge(series: FeedSeries): Judgement {
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

/** The two-sided tail probability of a judged observation to full precision, whatever `tailProbability` tells. */
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
  const { toNormal, fromNormal } = transformOf(law);
  const transformed = values.map(toNormal);
  const trace = law.kind === 'gamma' ? law.trace : Number.NEGATIVE_INFINITY;
  const history = new Climatology(timesMs, transformed, law.memoryMs);
  const gamma = new GammaLaw();
  const run = new Run(timesMs, law.newStateMs);
  const judgeOne = (i: number): void => {
    const { expected, spread, scale, freedom, dryShare } = history;
    let departure = (transformed[i]! - expected) / scale;
    let median = expected;
    if (law.kind === 'gamma') {
      gamma.set(expected, spread, dryShare);
      departure = (scoreOf(gamma, law, values[i]!, transformed[i]!) * spread) / scale;
      median = gamma.medianRoot;
    }
    judged.expected[i] = fromNormal(median);
    tell(judged, i, departure, freedom);
  };
  for (let i = 0; i < timesMs.length; i++) {
    if (!Number.isFinite(values[i])) continue;
    if (history.predict(i)) {
      judgeOne(i);
      const began = run.follow(i, judged.departure[i]!, judged.tailProbability[i]!);
      if (began !== undefined) {
        history.forgetBefore(began);
        if (history.predict(i)) judgeOne(i);
      }
    }
    if (values[i]! >= trace) history.add(i);
    else history.addDry(i);
  }
}

function tell(judged: Judgement, i: number, departure: number, freedom: number): void {
  judged.departure[i] = departure;
  judged.freedom[i] = freedom;
  const size = Math.abs(departure);
  if (size < END_DEPARTURE) judged.tailProbability[i] = 1;
  else
    judged.tailProbability[i] = size < LOW_DEPARTURE ? nearTail(size, freedom) : studentTail(size, freedom);
}

/** The gamma law of a value matters only where it could be beyond `END_PROBABILITY`; its cube root tells whether it could. */
function scoreOf(
  gamma: GammaLaw,
  { power, trace }: SeasonalLaw & { readonly kind: 'gamma' },
  value: number,
  root: number,
): number {
  if (!(value >= trace)) return gamma.score(0);
  const rough = gamma.roughScore(root);
  if (Math.abs(rough) < NEAR && gamma.isNearlyNormal) return rough;
  return gamma.score(power === 1 ? value : power === 2 ? value * value : value ** power);
}

/** Departures to one side in a row. */
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

  /** Takes the next judged observation; the start of the run, once, when it has become a history of its own. */
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

/** The scale on which a law is nearly normal, and back. */
function transformOf(law: SeasonalLaw): {
  readonly toNormal: (value: number) => number;
  readonly fromNormal: (value: number) => number;
} {
  if (law.kind === 'normal') return { toNormal: (value) => value, fromNormal: (value) => value };
  if (law.kind === 'gamma') {
    // Powers by products and roots: a tenth of the time of `**`.
    if (law.power === 1)
      return {
        toNormal: (value) => (value === 0 ? 0 : Math.cbrt(value)),
        fromNormal: (root) => (root > 0 ? root * root * root : 0),
      };
    if (law.power === 2)
      return {
        toNormal: (value) => Math.cbrt(value * value),
        fromNormal: (root) => (root > 0 ? root * Math.sqrt(root) : 0),
      };
  }
  const exponent = law.kind === 'gamma' ? law.power / 3 : law.exponent;
  return {
    toNormal: (value) => positive(value) ** exponent,
    fromNormal: (value) => positive(value) ** (1 / exponent),
  };
}

function positive(value: number): number {
  return value > 0 ? value : 0;
}

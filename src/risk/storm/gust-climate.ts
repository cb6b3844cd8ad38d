import { percentile } from '../../numerics/percentile.ts';
import { gevFromLMoments, gevQuantile, gevReturnLevel, gevWithShape, type Gev } from '../../numerics/gev.ts';
import { sampleLMoments, type LMoments } from '../../numerics/l-moments.ts';
import { normalQuantile } from '../../numerics/normal.ts';

/** Distribution of the GEV shape over the sites of a region, in Hosking's sign (k > 0 is bounded). */
export interface RegionalShape {
  readonly mean: number;
  /** Standard deviation of the true shape between sites, without sampling error; positive. */
  readonly deviation: number;
}

/**
 * Shape of yearly maximum gusts where no region is given (our choice): that of the Gumbel distribution, which EN 1991-1-4
 * uses and which is on the safe side of most fits to gust records, with a deviation of 0.1.
 * @see doi:10.1017/S1350482799001103 (Palutikof et al. 1999)
 */
export const GUST_SHAPE: RegionalShape = { mean: 0, deviation: 0.1 };

/**
 * Fewest years of record that are fitted, and longest return period per year of record: 20 years give levels up to
 * 200 years.
 */
export const LEAST_YEARS = 10;
export const PERIODS_PER_YEAR = 10;

/**
 * Sampling variance of the L-moment shape near 0, times the years.
 * @see doi:10.1080/00401706.1985.10488049 table 1 (Hosking, Wallis & Wood 1985)
 */
const SHAPE_VARIANCE = 0.5633;

/** Number of records drawn for the intervals, and a fixed seed so that they are the same in every process. */
const DRAW_COUNT = 1000;
const SEED = 0x9e3779b9;

/** A return level and its 5th and 95th percentile, in the unit of the record. */
export interface ReturnLevel {
  readonly returnPeriodYears: number;
  readonly level: number;
  readonly low: number;
  readonly high: number;
}

/** Return levels of a record, and the fitted distribution. */
export interface ReturnLevels {
  /** Its shape is a weighted mean of the record's own and the region's. */
  readonly gev: Gev;
  /** Shape of the record alone. */
  readonly ownShape: number;
  readonly years: number;
  /** Longest return period that the record supports [years]; longer ones are left out. */
  readonly longestYears: number;
  readonly levels: readonly ReturnLevel[];
}

/**
 * GEV of a record's L-moments; its shape is the mean of the record's own and the region's, weighted by their variances.
 * @throws RangeError as `gevFromLMoments` does
 */
export function regionalGev(moments: LMoments, years: number, region: RegionalShape): Gev {
  const weight = region.deviation ** 2 / (region.deviation ** 2 + SHAPE_VARIANCE / years);
  const ownShape = gevFromLMoments(moments).shape;
  return gevWithShape(moments, weight * ownShape + (1 - weight) * region.mean);
}

/** Fits records of one length. The draws for the intervals are made once. */
export interface ReturnLevelFitter {
  /**
   * @param annualMaxima one finite value a year, in any order.
   * @throws RangeError on another length, a constant record, or a value that is not finite
   */
  fit(annualMaxima: ArrayLike<number>): ReturnLevels;
}

/**
 * Makes a fitter of return levels from yearly maxima: a GEV by `regionalGev`. The interval is a parametric bootstrap:
 * records are drawn with shapes from the region's distribution, and the error of a level in units of l2 is adjusted
 * to the record's own L-skewness by regression. Return periods beyond ten times the years are left out.
 * @param years length of each record, at least ten
 * @param returnPeriodsYears each above 1
 * @throws RangeError on fewer years or a return period of a year or less
 * @see doi:10.1093/genetics/162.4.2025 (Beaumont, Zhang & Balding 2002: the regression)
 */
export function returnLevelFitter(
  years: number,
  returnPeriodsYears: readonly number[],
  region: RegionalShape = GUST_SHAPE,
): ReturnLevelFitter {
  if (!(years >= LEAST_YEARS))
    throw new RangeError(`${years} yearly maxima, at least ${LEAST_YEARS} expected`);
  for (const T of returnPeriodsYears)
    if (!(T > 1)) throw new RangeError(`return period ${T}, above 1 expected`);
  const longestYears = PERIODS_PER_YEAR * years;
  const asked = returnPeriodsYears.filter((T) => T <= longestYears);
  const drawn = drawRecords(years, asked, region);
  return {
    fit(annualMaxima) {
      if (annualMaxima.length !== years)
        throw new RangeError(`${annualMaxima.length} maxima, ${years} expected`);
      const moments = sampleLMoments(annualMaxima);
      const ownShape = gevFromLMoments(moments).shape;
      const gev = regionalGev(moments, years, region);
      const levels = asked.map((returnPeriodYears, i) => {
        const level = gevReturnLevel(gev, returnPeriodYears);
        const errors = adjusted(drawn.pivots[i]!, drawn.skewness, moments.t3);
        const low = moments.l1 + moments.l2 * percentile(errors, 0.05);
        const high = moments.l1 + moments.l2 * percentile(errors, 0.95);
        return { returnPeriodYears, level, low: Math.min(level, low), high: Math.max(level, high) };
      });
      return { gev, ownShape, years, longestYears, levels };
    },
  };
}

/** Usual variance of the shape within a region: a deviation of 0.05 (our choice). */
const SHAPE_WITHIN = 0.05 ** 2;
/**
 * The same for the logarithm of l2/l1, the relative spread of the years: it differs by a tenth from site to site
 * (our choice).
 */
const SPREAD_WITHIN = 0.1 ** 2;
/**
 * Regions differ from the usual variance by about its own size. The variance is never below this share of it [1]
 * (our choice).
 */
const LEAST_WITHIN = 0.25;

/**
 * Sampling variance of that logarithm, times the years, for a Gumbel distribution with a mode of nine times the
 * scale (4,000 drawn records each of 18, 40 and 80 years give 0.72, 0.68 and 0.68).
 */
const SPREAD_VARIANCE = 0.7;

/**
 * True variance of a quantity between sites: the observed variance less the sampling variance, weighted against the
 * usual variance by the variance of a sample variance of that many sites.
 * @param squares sum of squared distances from the mean
 * @param sampling sampling variance of one site
 * @param rule usual variance
 */
function withinVariance(squares: number, sites: number, sampling: number, rule: number): number {
  if (sites < 2) return rule;
  const doubt = (2 * (rule + sampling) ** 2) / (sites - 1);
  const trust = rule ** 2 / (rule ** 2 + doubt);
  return Math.max(LEAST_WITHIN * rule, rule + trust * (squares / (sites - 1) - sampling - rule));
}

/**
 * Shape of a region from its records. The mean is that of their shapes, weighted by years, and shrunk towards
 * `GUST_SHAPE` when there are few. The deviation is that of `withinVariance`, widened by the uncertainty of the
 * mean.
 * @throws RangeError without a record of at least ten years, or when one is constant or not finite
 */
export function regionalShape(records: readonly ArrayLike<number>[]): RegionalShape {
  const sites = records
    .filter((record) => record.length >= LEAST_YEARS)
    .map((record) => ({ years: record.length, shape: gevFromLMoments(sampleLMoments(record)).shape }));
  if (sites.length === 0) throw new RangeError(`no record of at least ${LEAST_YEARS} years`);
  const years = sites.reduce((sum, site) => sum + site.years, 0);
  const mean = sites.reduce((sum, site) => sum + site.years * site.shape, 0) / years;
  const spread = sites.reduce((sum, site) => sum + (site.shape - mean) ** 2, 0);
  const sampling = (SHAPE_VARIANCE * sites.length) / years;
  const general = GUST_SHAPE.deviation ** 2;
  const within = withinVariance(spread, sites.length, sampling, SHAPE_WITHIN);
  const meanVariance = within / sites.length + SHAPE_VARIANCE / years;
  const weight = general / (general + meanVariance);
  return {
    mean: weight * mean + (1 - weight) * GUST_SHAPE.mean,
    deviation: Math.sqrt(within + weight * meanVariance),
  };
}

/** Relative spread of the years over the sites of a region: the logarithm of l2/l1. */
export interface RegionalSpread {
  readonly mean: number;
  /** Standard deviation of its true value between sites; positive. */
  readonly deviation: number;
}

/**
 * Relative spread of the years of a region, from its records of at least ten years.
 * @throws RangeError as `regionalShape`
 */
export function regionalSpread(records: readonly ArrayLike<number>[]): RegionalSpread {
  const sites = records
    .filter((record) => record.length >= LEAST_YEARS)
    .map((record) => ({ years: record.length, log: logSpread(sampleLMoments(record)) }));
  if (sites.length === 0) throw new RangeError(`no record of at least ${LEAST_YEARS} years`);
  const years = sites.reduce((sum, site) => sum + site.years, 0);
  const mean = sites.reduce((sum, site) => sum + site.years * site.log, 0) / years;
  const squares = sites.reduce((sum, site) => sum + (site.log - mean) ** 2, 0);
  const sampling = (SPREAD_VARIANCE * sites.length) / years;
  return { mean, deviation: Math.sqrt(withinVariance(squares, sites.length, sampling, SPREAD_WITHIN)) };
}

/**
 * L-moments of a record with l2 shrunk towards the value from its l1 and the region's spread, weighted by their
 * variances: a short record gives the mean gust well, but not the spread of its years.
 * @see Hosking & Wallis 1997, Regional Frequency Analysis, chapter 6 (the index flood)
 */
export function regionalMoments(moments: LMoments, years: number, region: RegionalSpread): LMoments {
  const weight = region.deviation ** 2 / (region.deviation ** 2 + SPREAD_VARIANCE / years);
  const log = weight * logSpread(moments) + (1 - weight) * region.mean;
  return { ...moments, l2: moments.l1 * Math.exp(log) };
}

/** @throws RangeError for a record without spread, or whose mean is not positive */
function logSpread({ l1, l2 }: LMoments): number {
  if (!(l1 > 0 && l2 > 0)) throw new RangeError(`l1 ${l1} and l2 ${l2}: expected gusts that differ`);
  return Math.log(l2 / l1);
}

/**
 * Records drawn from the region: their L-skewness, and for each return period the true level relative to their own
 * l1 and l2.
 */
interface DrawnRecords {
  readonly skewness: Float64Array;
  /** `(true level - l1) / l2`: it does not depend on the location and scale of the record. */
  readonly pivots: readonly Float64Array[];
}

function drawRecords(
  years: number,
  returnPeriodsYears: readonly number[],
  region: RegionalShape,
): DrawnRecords {
  const skewness = new Float64Array(DRAW_COUNT);
  const pivots = returnPeriodsYears.map(() => new Float64Array(DRAW_COUNT));
  const random = uniform(SEED);
  const sample = new Float64Array(years);
  for (let draw = 0; draw < DRAW_COUNT; draw++) {
    // Stratified draws of the shape; the sample below is independent of them.
    const k = region.mean + region.deviation * normalQuantile((draw + 0.5) / DRAW_COUNT);
    const gev = { location: 0, scale: 1, shape: Math.max(-0.9, k) }; // the mean is infinite at -1
    for (let i = 0; i < years; i++) sample[i] = gevQuantile(gev, random());
    const { l1, l2, t3 } = sampleLMoments(sample);
    skewness[draw] = t3;
    for (let i = 0; i < pivots.length; i++)
      pivots[i]![draw] = (gevReturnLevel(gev, returnPeriodsYears[i]!) - l1) / l2;
  }
  return { skewness, pivots };
}

/** The pivots adjusted to an L-skewness of `t3` by their quadratic regression on it, within the drawn range. */
function adjusted(pivots: Float64Array, skewness: Float64Array, t3: number): Float64Array {
  const n = pivots.length;
  const positive = pivots.every((pivot) => pivot > 0); // the spread of rare levels is proportional to them
  const y = positive ? pivots.map(Math.log) : pivots;
  const mean = skewness.reduce((sum, s) => sum + s, 0) / n;
  const [low, high] = [skewness.reduce((a, b) => Math.min(a, b)), skewness.reduce((a, b) => Math.max(a, b))];
  const at = Math.min(high, Math.max(low, t3)) - mean;
  const [slope, bend] = quadraticSlopes(skewness, mean, y);
  return y.map((value, i) => {
    const x = skewness[i]! - mean;
    const moved = value + slope * (at - x) + bend * (at * at - x * x);
    return positive ? Math.exp(moved) : moved;
  });
}

/** Coefficients of x and x^2 in the least-squares fit of y on 1, x, x^2 with x counted from its mean. */
function quadraticSlopes(xs: Float64Array, mean: number, y: Float64Array): readonly [number, number] {
  const n = xs.length;
  let [s2, s3, s4, t0, t1, t2] = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < n; i++) {
    const x = xs[i]! - mean;
    s2 += x * x;
    s3 += x * x * x;
    s4 += x * x * x * x;
    t0 += y[i]!;
    t1 += x * y[i]!;
    t2 += x * x * y[i]!;
  }
  // The sum of x is 0, so the intercept drops out of the first equation and is replaced in the second.
  const square = s4 - (s2 * s2) / n;
  const right = t2 - (s2 * t0) / n;
  const determinant = s2 * square - s3 * s3;
  return [(t1 * square - s3 * right) / determinant, (s2 * right - s3 * t1) / determinant];
}

/** Uniform numbers within (0, 1) from a 32-bit state (mulberry32). */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
}

import { gammaTails, logGamma } from './gamma-tails.ts';
import { normalDeviate } from '../numerics/normal.ts';

const MONTHS = 12;
/** Minimum number of years with a sum for a calendar month (WMO-No. 1090, 2012: at least twenty, better thirty). */
const LEAST_YEARS = 20;
/** Minimum tail probability used for an index: the probability that a normal deviate exceeds 5. */
const LEAST_TAIL = 2.9e-7;

/**
 * Standardised precipitation index (McKee, Doesken & Kleist 1993): for each calendar month, a gamma distribution with
 * a mass at zero is fitted to the sums of the `span` months that end with it, over all years. The index is the normal
 * deviate of a sum's probability. Calendar months with fewer than twenty years have no index. If at least half of the
 * sums are zero, the index of a sum of zero is 0.
 * @param months precipitation of consecutive months [mm], starting with a January; NaN where unknown
 * @param span number of months summed
 * @returns the index of each month; NaN where one of the summed months is unknown or there is no index
 * @see WMO-No. 1090, Standardized Precipitation Index User Guide
 */
export function precipitationIndex(months: Float64Array, span: number): Float64Array {
  const sums = months.map((_, i) => {
    let sum = 0;
    for (let k = 0; k < span; k++) sum += months[i - k] ?? Number.NaN;
    return sum;
  });
  const index = new Float64Array(months.length).fill(Number.NaN);
  for (let month = 0; month < MONTHS; month++) {
    const places: number[] = [];
    for (let i = month; i < sums.length; i += MONTHS) if (!Number.isNaN(sums[i])) places.push(i);
    if (places.length < LEAST_YEARS) continue;
    const law = fitGamma(places.map((i) => sums[i]!));
    if (law !== undefined) for (const i of places) index[i] = scoreOf(sums[i]!, law);
  }
  return index;
}

interface Law {
  readonly shape: number;
  readonly scale: number;
  readonly zero: number;
}

/**
 * Maximum-likelihood gamma distribution of the non-zero sums, by the approximation of Thom (1958); undefined if all
 * non-zero sums are equal or all sums are zero.
 */
function fitGamma(sums: readonly number[]): Law | undefined {
  const wet = sums.filter((sum) => sum > 0);
  const mean = wet.reduce((a, b) => a + b, 0) / wet.length;
  const skew = Math.log(mean) - wet.reduce((sum, value) => sum + Math.log(value), 0) / wet.length;
  if (!(skew > 0)) return undefined;
  const shape = (1 + Math.sqrt(1 + (4 * skew) / 3)) / (4 * skew);
  return { shape, scale: mean / shape, zero: 1 - wet.length / sums.length };
}

function scoreOf(sum: number, { shape, scale, zero }: Law): number {
  const [below, above] = gammaTails(sum / scale, shape, logGamma(shape));
  const [under, over] = [zero + (1 - zero) * below, (1 - zero) * above];
  if (sum <= 0 && under >= 0.5) return 0;
  return under < over
    ? -normalDeviate(Math.max(under, LEAST_TAIL))
    : normalDeviate(Math.max(over, LEAST_TAIL));
}

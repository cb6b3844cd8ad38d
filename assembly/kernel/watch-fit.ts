// Seasonal fits of a pixel that is watched, as src/change/pixel/seasonal-baseline.ts has them.
import { factorise, fitListed, setFit } from './fit';
import { factors } from './solve';
import { columns, designByRow, paddedColumns } from './workspace';
import { roundToHalf } from './watch-half';
import { rule, sceneOf, single, timeOf, Track, valueOf } from './watch-record';
import { forgetDepartures } from './watch-scatter';

/** Number of doubles in a row of the factors, and the row of the inverses; see solve.ts. */
const FACTOR_ROW: i32 = 16;
const INVERSE: i32 = 8;
const TREND: i32 = 1;

/** Fits the history if it has grown enough since the latest fit. */
export function refit(track: Track, scene: i32): void {
  const n = track.count;
  const grown = max(<f64>(track.to + 1), <f64>track.to * rule.refitGrowth);
  if (<f64>n < rule.fewestFitted || <f64>n < grown) return;
  const last = timeOf(sceneOf(track, n - 1));
  let from = 0;
  while (last - timeOf(sceneOf(track, from)) > rule.maxHistoryMs) from += 1;
  const fewest = <i32>rule.fewestFitted;
  if (n - from < fewest) from = n - fewest;
  const first = timeOf(sceneOf(track, from));
  if (timeOf(scene) - first < rule.minSpanMs || last - first < rule.minHistoryMs) return;
  track.from = from;
  track.to = n;
  if (track.weight == 0) {
    track.isFitted = 1; // a witness is fitted where a departure needs it; see witness-baseline.ts
    return;
  }
  const isFirst = track.isFitted == 0;
  const start = fitPart(track, from, n);
  track.isFitted = start >= 0 && isSufficient(track, start) ? 1 : 0;
  if (track.isFitted == 0) return;
  track.from = start;
  if (isFirst) departFromFit(track);
}

/** Replaces the departures by those from the first fit; see src/change/pixel/judge-baseline.ts. */
function departFromFit(track: Track): void {
  const fitted = <f64>(track.count - track.from);
  const inflated = sqrt(fitted / (fitted - <f64>(1 + 2 * track.harmonics + track.hasTrend)));
  for (let i = 0; i < track.count; i++) {
    const scene = sceneOf(track, i);
    const departure = inflated * (valueOf(track, i) - expectedAt(track, scene));
    const isFitted = i >= track.from;
    store<f32>(track.departures + ((<usize>scene) << 2), <f32>(isFitted ? roundToHalf(departure) : NaN));
  }
  track.sigmaCount = -1;
  track.departed += 1;
  track.listsDeparted = track.departed;
  forgetDepartures(track);
}

function isSufficient(track: Track, start: i32): bool {
  const spanMs = timeOf(sceneOf(track, track.to - 1)) - timeOf(sceneOf(track, start));
  return spanMs >= rule.sufficientMs || track.fitSigma <= rule.youngFitFloors * track.noiseFloor;
}

function fitPart(track: Track, from: i32, to: i32): i32 {
  const last = timeOf(sceneOf(track, to - 1));
  const withTrend = last - timeOf(sceneOf(track, from)) >= rule.minTrendMs;
  const isFitted = fitHistory(track, from, to, withTrend, rule.historyCritical);
  let stable = from;
  while (stable < to - 1 && sceneOf(track, stable) < track.fitStart) stable += 1;
  const isFull =
    to - stable >= <i32>rule.fewestFitted && last - timeOf(sceneOf(track, stable)) >= rule.minSpanMs;
  if (isFitted && (isFull || stable == from)) return stable;
  return fitHistory(track, from, to, withTrend, 0) ? from : -1;
}

function fitHistory(track: Track, from: i32, to: i32, withTrend: bool, critical: f64): bool {
  const perCoefficient = <i32>rule.perCoefficient;
  const affordable = (to - from) / perCoefficient;
  const harmonics = max(0, min(<i32>rule.maxHarmonics, (affordable - (withTrend ? 2 : 1)) >> 1));
  track.harmonics = harmonics;
  track.hasTrend = withTrend ? 1 : 0;
  track.isFactored = 0;
  if (harmonics == 0) return false;
  const bits = ((1 << (2 + 2 * harmonics)) - 1) & ~(withTrend ? 0 : 1 << TREND);
  track.columnBits = bits;
  setFit(bits, 0, rule.rejectMedians, <i32>rule.rejectRounds, perCoefficient, critical);
  fitListed(
    track.scenes + ((<usize>from) << 2),
    track.values + ((<usize>from) << 3),
    to - from,
    track.coefficients,
    changetype<usize>(track) + offsetof<Track>('fitSigma'),
    changetype<usize>(track) + offsetof<Track>('fitObservations'),
    changetype<usize>(track) + offsetof<Track>('fitStart'),
    changetype<usize>(track) + offsetof<Track>('status'),
    track.kept,
  );
  for (let c = 0; c < columns; c++) {
    const at = track.coefficients + ((<usize>c) << 3);
    store<f64>(at, single(load<f64>(at)));
  }
  track.fitSigma = single(track.fitSigma);
  return load<u8>(changetype<usize>(track) + offsetof<Track>('status')) == 0;
}

function rowOf(scene: i32): usize {
  return designByRow + ((<usize>(scene * paddedColumns)) << 3);
}

/** Value that the fit expects at a scene. */
export function expectedAt(track: Track, scene: i32): f64 {
  const row = rowOf(scene);
  let sum: f64 = 0;
  for (let c: usize = 0; c < <usize>columns; c++)
    sum += load<f64>(row + (c << 3)) * load<f64>(track.coefficients + (c << 3));
  return sum;
}

/**
 * Variance of the expected value, in units of the variance of one observation. What is left of the columns is reduced
 * by one column after the other, two columns at a time, so each column has the steps of a loop over the earlier ones.
 */
export function leverage(track: Track, scene: i32): f64 {
  if (track.isFactored == 0) factoriseKept(track);
  const row = rowOf(scene);
  // Without a trend its column is left out. Columns that are not fitted have inverses of 0.
  const isWhole = track.hasTrend != 0;
  let a = isWhole ? v128.load(row) : v128.load_lane<f64>(row + 16, v128.load_zero<f64>(row), 1);
  let b = isWhole ? v128.load(row, 16) : v128.load(row, 24);
  let c = isWhole ? v128.load(row, 32) : v128.load(row, 40);
  let d = isWhole ? v128.load(row, 48) : v128.load_zero<f64>(row, 56);
  const factors = track.factors;
  const inverses = track.inverses;
  let value = f64x2.extract_lane(a, 0);
  let sum = value * value * load<f64>(inverses);
  let one = f64x2.splat(value);
  a = reduce(a, one, factors);
  b = reduce(b, one, factors + 16);
  c = reduce(c, one, factors + 32);
  d = reduce(d, one, factors + 48);
  value = f64x2.extract_lane(a, 1);
  sum += value * value * load<f64>(inverses, 8);
  one = f64x2.splat(value);
  b = reduce(b, one, factors + 64 + 16);
  c = reduce(c, one, factors + 64 + 32);
  d = reduce(d, one, factors + 64 + 48);
  value = f64x2.extract_lane(b, 0);
  sum += value * value * load<f64>(inverses, 16);
  one = f64x2.splat(value);
  b = reduce(b, one, factors + 2 * 64 + 16);
  c = reduce(c, one, factors + 2 * 64 + 32);
  d = reduce(d, one, factors + 2 * 64 + 48);
  value = f64x2.extract_lane(b, 1);
  sum += value * value * load<f64>(inverses, 24);
  one = f64x2.splat(value);
  c = reduce(c, one, factors + 3 * 64 + 32);
  d = reduce(d, one, factors + 3 * 64 + 48);
  value = f64x2.extract_lane(c, 0);
  sum += value * value * load<f64>(inverses, 32);
  one = f64x2.splat(value);
  c = reduce(c, one, factors + 4 * 64 + 32);
  d = reduce(d, one, factors + 4 * 64 + 48);
  value = f64x2.extract_lane(c, 1);
  sum += value * value * load<f64>(inverses, 40);
  d = reduce(d, f64x2.splat(value), factors + 5 * 64 + 48);
  value = f64x2.extract_lane(d, 0);
  sum += value * value * load<f64>(inverses, 48);
  d = reduce(d, f64x2.splat(value), factors + 6 * 64 + 48);
  value = f64x2.extract_lane(d, 1);
  return sum + value * value * load<f64>(inverses, 56);
}

function reduce(pair: v128, by: v128, factors: usize): v128 {
  return f64x2.sub(pair, f64x2.mul(v128.load(factors), by));
}

/** Writes the factors below the diagonal by columns of eight, 0 elsewhere, and the inverses, 0 for lacking columns. */
function factoriseKept(track: Track): void {
  factorise(track.columnBits, track.kept);
  const all = factors();
  const size = popcnt<i32>(track.columnBits);
  for (let i = 0; i < 8; i++) {
    const row = all + ((<usize>(i * FACTOR_ROW)) << 3);
    for (let k = 0; k < i; k++) {
      const factor = i < size ? load<f64>(row + ((<usize>k) << 4)) : 0;
      store<f64>(track.factors + ((<usize>((k << 3) + i)) << 3), factor);
    }
    const inverse = i < size ? load<f64>(all + ((<usize>(INVERSE * FACTOR_ROW + 2 * i)) << 3)) : 0;
    store<f64>(track.inverses + ((<usize>i) << 3), inverse);
  }
  track.isFactored = 1;
}

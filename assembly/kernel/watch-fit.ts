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

/** Variance of the expected value, in units of the variance of one observation. */
export function leverage(track: Track, scene: i32): f64 {
  if (track.isFactored == 0) factoriseKept(track);
  const row = rowOf(scene);
  const work = track.inverses + 8 * 8; // the solved columns follow the inverses
  let factor = track.factors;
  let sum: f64 = 0;
  let i: usize = 0;
  for (let c = 0; c < columns; c++) {
    if (((track.columnBits >> c) & 1) == 0) continue;
    let value = load<f64>(row + ((<usize>c) << 3));
    for (let k: usize = 0; k < i; k++) {
      value -= load<f64>(factor) * load<f64>(work + (k << 3));
      factor += 8;
    }
    store<f64>(work + (i << 3), value);
    sum += value * value * load<f64>(track.inverses + (i << 3));
    i += 1;
  }
  return sum;
}

function factoriseKept(track: Track): void {
  factorise(track.columnBits, track.kept);
  const all = factors();
  let factor = track.factors;
  const size = popcnt<i32>(track.columnBits);
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) {
      store<f64>(factor, load<f64>(all + ((<usize>(i * FACTOR_ROW + 2 * k)) << 3)));
      factor += 8;
    }
    store<f64>(
      track.inverses + ((<usize>i) << 3),
      load<f64>(all + ((<usize>(INVERSE * FACTOR_ROW + 2 * i)) << 3)),
    );
  }
  track.isFactored = 1;
}

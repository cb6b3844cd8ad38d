// Scatter and autocorrelation of the departures of a pixel, as src/change/pixel/judge-baseline.ts has them.
import { insert, medianOfSorted } from './watch-sorted';
import { rule, sceneOf, shared, single, Track } from './watch-record';

function departureOf(track: Track, scene: i32): f64 {
  return <f64>load<f32>(track.departures + ((<usize>scene) << 2));
}

/** Updates `sigma` and `rho` if the history has grown enough since the last update. */
export function updateSigma(track: Track): void {
  const count = track.count;
  const since = track.sigmaCount;
  if (since >= 0 && <f64>count < max(<f64>(since + 1), <f64>since * rule.refitGrowth)) return;
  track.sigmaCount = count;
  for (let i = track.sizesUntil; i < count; i++) {
    const departure = departureOf(track, sceneOf(track, i));
    if (departure != departure) continue;
    insert(track.sortedSizes, track.sizesCount, abs(departure));
    track.sizesCount += 1;
  }
  track.sizesUntil = count;
  const pairs = track.sizesCount;
  track.sigmaPairs = pairs;
  track.sigma = pairs == 0 ? 0 : single(rule.madToSigma * medianOfSorted(track.sortedSizes, pairs));
  track.rho = lagOne(track, rule.rejectBeyond * track.sigma);
}

/** Forgets what was derived of the departures. */
export function forgetDepartures(track: Track): void {
  track.sizesUntil = 0;
  track.sizesCount = 0;
  forgetSums(track);
}

/** Forgets the sums of the autocorrelation. */
function forgetSums(track: Track): void {
  track.lagUntil = 0;
  track.lagLargest = 0;
  track.lagBefore = NaN;
  track.lagProducts = 0;
  track.lagSquares = 0;
  track.lagPairs = 0;
}

/** Lag-one autocorrelation of the departures, clipped to `limit`; see src/change/pixel/lag-one.ts. */
function lagOne(track: Track, limit: f64): f64 {
  if (track.lagLargest > limit) forgetSums(track);
  let i = track.lagUntil;
  let previous = track.lagBefore;
  let largest = track.lagLargest;
  let products = track.lagProducts;
  let squares = track.lagSquares;
  let pairs = track.lagPairs;
  for (; i < track.count; i++) {
    const departure = departureOf(track, sceneOf(track, i));
    if (departure != departure) continue;
    if (abs(departure) > limit) break;
    largest = max(largest, abs(departure));
    if (previous == previous) {
      products += previous * departure;
      squares += (previous * previous + departure * departure) / 2;
      pairs += 1;
    }
    previous = departure;
  }
  track.lagUntil = i;
  track.lagBefore = previous;
  track.lagLargest = largest;
  track.lagProducts = products;
  track.lagSquares = squares;
  track.lagPairs = pairs;
  for (; i < track.count; i++) {
    const departure = departureOf(track, sceneOf(track, i));
    if (departure != departure) continue;
    const clipped = max(-limit, min(limit, departure));
    if (previous == previous) {
      products += previous * clipped;
      squares += (previous * previous + clipped * clipped) / 2;
      pairs += 1;
    }
    previous = clipped;
  }
  const estimate: f64 = squares > 0 ? products / squares : 0;
  const prior = rule.rhoPriorPairs;
  const rho = (prior * rule.rhoPrior + <f64>pairs * estimate) / (prior + <f64>pairs);
  return single(max(0, min(rule.rhoMax, rho)));
}

/** Standard deviation near the scene's day of the year, with winsorised outliers. Sets `isSupported`. */
export function seasonSigma(track: Track, scene: i32): f64 {
  const limit = rule.rejectBeyond * track.sigma;
  const isHistory = track.isHistory;
  const departures = track.departures;
  const starts = shared.nearStarts + ((<usize>scene) << 2);
  const end = <usize>load<i32>(starts, 4);
  const isFitted = track.isFitted != 0;
  const comparable = track.comparable + <usize>max(0, track.classStart);
  // Read once: the loop below runs some twelve times a look.
  const scenes = shared.nearScenes;
  const supports = shared.nearSupports;
  const nearWeights = shared.nearWeights;
  const limits = f64x2.splat(limit);
  let supporting = 0;
  let sums = f64x2.splat(0); // of the weights and of the weighted squares
  for (let k = <usize>load<i32>(starts); k < end; k++) {
    const at = <usize>load<i32>(scenes + (k << 2));
    const known = <i32>load<u8>(isHistory + at);
    supporting |= known & <i32>load<u8>(supports + k) & (isFitted ? 1 : <i32>load<u8>(comparable + at));
    // Without branches, because clouds are random: what is not known has no weight.
    const departure = f64x2.splat(<f64>load<f32>(departures + (at << 2)));
    const counts = v128.and(f64x2.eq(departure, departure), i64x2.splat(-(<i64>known)));
    const weight = v128.and(v128.load_splat<f64>(nearWeights + (k << 3)), counts);
    const clipped = f64x2.replace_lane(f64x2.pmin(limits, f64x2.abs(departure)), 0, 1);
    sums = f64x2.add(sums, f64x2.mul(f64x2.mul(weight, clipped), clipped));
  }
  track.isSupported = supporting;
  const weights = f64x2.extract_lane(sums, 0);
  const squares = f64x2.extract_lane(sums, 1);
  return weights >= 1 ? sqrt(squares / weights) : 0;
}

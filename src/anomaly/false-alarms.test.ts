import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge, type ObservedSeries } from './judgement.ts';
import { metricLaw } from './metric-law.ts';
import {
  gammaDraws,
  normalDraws,
  redDraws,
  season,
  seriesOf,
  YEAR_DAYS,
} from '../../test/fakes/simulated-metric-series.ts';
import { detectAnomalies } from '../../test/fixtures/detect-anomalies.ts';

// Fixed seeds. The rates are within 10 % of nominal at low severity, within 10 or 15 % at medium and within 25 % at
// high. Testing the rate at critical severity needs more draws: see `bench/anomalies.ts`.
const LIMITS = [0.05, 0.01, 0.001] as const;

/** Share of judged observations at or below each tail probability, divided by the nominal share. */
function flaggedOverNominal(seriesList: readonly ObservedSeries[]): number[] {
  const counts = LIMITS.map(() => 0);
  let judged = 0;
  for (const series of seriesList) {
    for (const p of judge(series).tailProbability) {
      if (Number.isNaN(p)) continue;
      judged += 1;
      for (const [k, limit] of LIMITS.entries()) if (p <= limit) counts[k]! += 1;
    }
  }
  return counts.map((count, k) => count / judged / LIMITS[k]!);
}

function near(ratios: readonly number[], tolerances: readonly number[]): void {
  for (const [k, tolerance] of tolerances.entries())
    assert.ok(Math.abs(ratios[k]! - 1) < tolerance, `${ratios[k]!.toFixed(3)} of nominal at ${LIMITS[k]}`);
}

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));

test('white noise every 16 days: low and medium within 10 % of nominal, high within 25 %', () => {
  const normal = normalDraws(1);
  near(flaggedOverNominal(times(400, () => seriesOf(276, 16, () => normal()))), [0.1, 0.1, 0.25]);
});

test('daily white noise, four years: low and medium within 10 % of nominal, high within 25 %', () => {
  const normal = normalDraws(2);
  near(flaggedOverNominal(times(60, () => seriesOf(1461, 1, () => normal()))), [0.1, 0.1, 0.25]);
});

test('season, trend and gaps: low and medium within 10 % of nominal', () => {
  const normal = normalDraws(12);
  const seriesList = times(400, () =>
    seriesOf(276, 16, (days, i) =>
      i % 7 === 3 || i % 11 === 0 ? Number.NaN : season(days) + (0.01 * days) / YEAR_DAYS + 0.04 * normal(),
    ),
  );
  near(flaggedOverNominal(seriesList), [0.1, 0.1]);
});

test('daily red noise, AR(.7), four years: low within 10 % of nominal, medium within 15 %', () => {
  const seriesList = times(80, (k) => {
    const red = redDraws(100 + k, 0.7);
    return seriesOf(1461, 1, (days) => 20 * season(days) + red());
  });
  near(flaggedOverNominal(seriesList), [0.1, 0.15]);
});

test('rain, gamma with shape 2 and a seasonal scale: low and medium within 10 % of nominal', () => {
  const seriesList = times(25, (k) => {
    const gamma = gammaDraws(200 + k, 2);
    const law = metricLaw('precipitation');
    return seriesOf(
      3652,
      1,
      (days) => 10 * (1 + 0.5 * Math.cos((2 * Math.PI * days) / YEAR_DAYS)) * gamma(),
      law,
    );
  });
  near(flaggedOverNominal(seriesList), [0.1, 0.15]);
});

test('wind of normal components (Rayleigh): low and medium within 10 % of nominal', () => {
  const normal = normalDraws(31);
  const law = metricLaw('wind');
  const seriesList = times(30, () => seriesOf(3652, 1, () => 5 * Math.hypot(normal(), normal()), law));
  near(flaggedOverNominal(seriesList), [0.1, 0.15]);
});

test('a level with daily white noise: low and medium within 10 % of nominal', () => {
  const normal = normalDraws(32);
  const law = metricLaw('displacement');
  near(flaggedOverNominal(times(60, () => seriesOf(1826, 1, () => 3 * normal(), law))), [0.1, 0.15]);
});

test('fifty series of pure noise: anomalies on at most one date in twenty', () => {
  const normal = normalDraws(8);
  const seriesList = times(50, () => seriesOf(300, 16, (days) => season(days) + 0.03 * normal()));
  const dates = new Set(
    detectAnomalies(seriesList).flatMap(({ episodes }) => episodes.map(({ startIndex }) => startIndex)),
  );
  const alone = seriesList.reduce((sum, series) => sum + detectAnomalies([series])[0]!.episodes.length, 0);
  assert.ok(alone > 400, `${alone} starts when each series stands alone`);
  // At a rate of .05, 13.75 of the 275 judged dates are expected, with a standard deviation of 3.6.
  assert.ok(dates.size <= 22, `${dates.size} dates`);
});

test('fifty series, ten of them with true anomalies: at most one anomaly in twenty is false', () => {
  let [standing, wrong] = [0, 0];
  for (const seed of [9, 10, 11, 12]) {
    const normal = normalDraws(seed);
    const seriesList = times(50, (f) =>
      seriesOf(
        200,
        16,
        (days, i) => season(days) + 0.03 * normal() - (f < 10 && i >= 100 && i % 4 === 0 ? 0.15 : 0),
      ),
    );
    for (const [f, { episodes }] of detectAnomalies(seriesList).entries())
      for (const { startIndex } of episodes) {
        if (startIndex < 100 || startIndex % 4 !== 0) continue;
        standing += 1;
        if (f >= 10) wrong += 1;
      }
  }
  assert.ok(standing > 800, `${standing}`);
  assert.ok(wrong / standing < 0.05, `${wrong} of ${standing}`);
});

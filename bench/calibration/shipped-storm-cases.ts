import { cycloneRegionOf } from '../../src/risk/storm/cyclone-region.ts';
import { cycloneDamageRatio, CYCLONE_HALF_DAMAGE_MPS } from '../../src/risk/storm/emanuel.ts';
import { reducedVariate } from '../../src/risk/hazard-curve.ts';
import { windstormDamageRatio } from '../../src/risk/storm/schwierz.ts';
import { inlandGustRatio } from '../../src/risk/storm/windstorm-gust.ts';
import { type Random, simulatedCard, type SimulatedCase, trueScoreOf } from './simulated-case.ts';
import { unmappedStormDamage } from './storm-cases.ts';

const MAP_YEARS = [2, 5, 10, 25, 50, 100, 250] as const;
/** Spreads in src/risk/storm/storm-assessor.ts and storm-hazard.ts: standard deviations of logarithms [1]. */
const GUST = 0.15;
const DAMAGE = 0.7;
const HALF_DAMAGE = 0.35;
const DESIGN_PERIOD = 1;
const CYCLONE = 0.12;
const CYCLONE_SAMPLING = 0.5;
const LEAST_STORMS = 4;
const THRESHOLD_MPS = 25.7;
const DESIGN_PERIOD_YEARS = 700;
const CYCLONE_GUST = 1.11; // ratio of the gust to the one-minute wind
/** One place in each region with its own half-damage winds. */
const COASTS = [
  [18.5, -69.9],
  [30, -95],
  [22.4, 91.8],
  [-18.1, 178.4],
  [-18.1, 49.4],
  [16, 108.2],
  [14.6, 121],
  [23.1, 113.3],
  [35.7, 139.7],
] as const;

/** Cyclone climate of a place: the climate in the layer and the true climate. */
export interface CycloneCase {
  readonly lat: number;
  readonly lng: number;
  /** One-minute wind [m/s] at a return period [years] in the layer; `trueWind`: the true wind. */
  readonly saidWind: (returnPeriodYears: number) => number;
  readonly trueWind: (returnPeriodYears: number) => number;
  /** Number of storms in the layer. */
  readonly storms: number;
}

/**
 * A place with the kinds of layers that ship: an inland gust from a prior, and cyclones in half of the places. The true
 * gusts, cyclone winds and damage are drawn with the spreads of the model, so the check covers the computation of the
 * confidence from these spreads, not the spreads themselves.
 */
export function shippedStormCase(random: Random): SimulatedCase {
  const hasCyclones = random.uniform() < 0.5;
  const storms = Math.round(random.between(3, 60));
  const at10 = random.between(18, 38);
  const rise = random.between(4, 9);
  const saidWind = (T: number): number =>
    hasCyclones && T >= 2 ? Math.max(0, at10 + rise * Math.log(Math.min(T, 250) / 10)) : 0;
  const sampling = CYCLONE_SAMPLING / Math.sqrt(storms + LEAST_STORMS);
  const windFactor = Math.exp(Math.hypot(CYCLONE, sampling) * random.normal());
  const [lat, lng] = hasCyclones ? random.pick(COASTS) : [50, 8];
  return cycloneCase(random, {
    lat,
    lng,
    saidWind,
    trueWind: (T) => saidWind(T) * windFactor,
    storms,
  });
}

/** A place with a cyclone climate; its windstorms and its building are drawn from the spreads of the model. */
export function cycloneCase(random: Random, climate: CycloneCase): SimulatedCase {
  const { lat, lng, saidWind, trueWind, storms } = climate;
  const gustFactor = Math.exp(GUST * random.normal());
  const damageFactor = Math.exp(DAMAGE * random.normal());
  const published = CYCLONE_HALF_DAMAGE_MPS[cycloneRegionOf(lat, lng)][random.uniform() < 0.5 ? 0 : 1];
  // The mean of the damage, which goes with the inverse third power, is that of the calibration.
  const half =
    THRESHOLD_MPS +
    (published - THRESHOLD_MPS) * Math.exp(HALF_DAMAGE * random.normal() + 1.5 * HALF_DAMAGE ** 2);
  const designPeriod = DESIGN_PERIOD_YEARS * Math.exp(DESIGN_PERIOD * (random.normal() + DESIGN_PERIOD / 2));
  const zoneGust = random.between(30, 42);
  const gustAt = (T: number): number => zoneGust * inlandGustRatio(reducedVariate(T)) * gustFactor;
  const cycloneDamageAt = (T: number): number =>
    Math.min(cycloneDamageRatio(trueWind(T), half), T / (T + designPeriod));
  return {
    cards: [
      simulatedCard('coast-distance', null, 4638),
      simulatedCard('inland-gust', null, 55_660),
      simulatedCard('cyclone-count', null, 27_830),
      ...MAP_YEARS.map((T) => simulatedCard('cyclone-wind', T, 27_830)),
    ],
    readings: [80, zoneGust, storms, ...MAP_YEARS.map(saidWind)].map((value) => ({ ok: true, value })),
    lat,
    lng,
    trueScore: trueScoreOf(
      (T) => Math.min(1, damageFactor * windstormDamageRatio(gustAt(T)) + cycloneDamageAt(T)),
      unmappedStormDamage(random),
    ),
    trueIntensity: MAP_YEARS.some((T) => trueWind(T) > 0)
      ? (T) => jointGust(gustAt, (years) => trueWind(years) * CYCLONE_GUST, T)
      : gustAt,
  };
}

/** Gust that windstorms and cyclones together exceed on average once in T years: the sum of their rates is 1/T. */
export function jointGust(
  windstorm: (T: number) => number,
  cyclone: (T: number) => number,
  T: number,
): number {
  const rateAbove = (level: (years: number) => number, gust: number): number => {
    let [low, high] = [1.02, 1e5];
    if (level(high) < gust) return 0;
    for (let k = 0; k < 40; k++) {
      const middle = Math.sqrt(low * high);
      if (level(middle) < gust) low = middle;
      else high = middle;
    }
    return -Math.log1p(-1 / high);
  };
  let [low, high] = [0, 200];
  for (let k = 0; k < 30; k++) {
    const middle = (low + high) / 2;
    if (rateAbove(windstorm, middle) + rateAbove(cyclone, middle) > -Math.log1p(-1 / T)) low = middle;
    else high = middle;
  }
  return low;
}

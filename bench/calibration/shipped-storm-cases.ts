import { cycloneDamageRatio, HALF_DAMAGE_MPS } from '../../src/risk/emanuel.ts';
import { reducedVariate } from '../../src/risk/hazard-curve.ts';
import { windstormDamageRatio } from '../../src/risk/schwierz.ts';
import { inlandGust } from '../../src/risk/windstorm-gust.ts';
import { type Random, simulatedCard, type SimulatedCase, trueScoreOf } from './simulated-case.ts';
import { UNMAPPED_STORM_DAMAGE } from './storm-cases.ts';

const MAP_YEARS = [2, 5, 10, 25, 50, 100, 250] as const;
/** Stated spreads of src/risk/storm.ts and storm-hazard.ts: standard deviations of logarithms [1]. */
const GUST = 0.22;
const DAMAGE = 0.7;
const HALF_DAMAGE = 0.25;
const CYCLONE = 0.08;
const CYCLONE_SAMPLING = 0.4;
const THRESHOLD_MPS = 25.7;
const CYCLONE_GUST = 1.11; // of the one-minute wind

/**
 * A place with layers such as ship: an inland gust that is a prior, and in half of the places cyclones. Gusts, cyclone
 * winds and damage are drawn from the spreads that the model states, each by itself: this checks the arithmetic from
 * spreads to confidence, not the spreads.
 */
export function shippedStormCase(random: Random): SimulatedCase {
  const hasCyclones = random.uniform() < 0.5;
  const storms = Math.round(random.between(3, 60));
  const at10 = random.between(18, 38);
  const rise = random.between(4, 9);
  const mappedWind = (T: number): number =>
    hasCyclones && T >= 2 ? Math.max(0, at10 + rise * Math.log(Math.min(T, 250) / 10)) : 0;
  const gustFactor = Math.exp(GUST * random.normal());
  const windFactor = Math.exp((CYCLONE + CYCLONE_SAMPLING / Math.sqrt(storms)) * random.normal());
  const damageFactor = Math.exp(DAMAGE * random.normal());
  const region = hasCyclones ? 'usa-canada' : 'elsewhere';
  const half = Math.max(THRESHOLD_MPS + 1, HALF_DAMAGE_MPS[region] * Math.exp(HALF_DAMAGE * random.normal()));
  const gustAt = (T: number): number => inlandGust(reducedVariate(T)) * gustFactor;
  const damageAt = (T: number): number => {
    const byCyclone = cycloneDamageRatio(mappedWind(T) * windFactor, half);
    return Math.min(1, damageFactor * windstormDamageRatio(gustAt(T)) + byCyclone);
  };
  return {
    cards: [
      simulatedCard('coast-distance', null, 4638),
      simulatedCard('cyclone-count', null, 27_830),
      ...MAP_YEARS.map((T) => simulatedCard('cyclone-wind', T, 27_830)),
    ],
    readings: [80, storms, ...MAP_YEARS.map(mappedWind)].map((value) => ({ ok: true, value })),
    lat: hasCyclones ? 30 : 50,
    lng: hasCyclones ? -95 : 8,
    trueScore: trueScoreOf(damageAt, UNMAPPED_STORM_DAMAGE),
    // Where both blow the curve is of both together; the truth of one place is told only where one of them is known to be 0.
    trueIntensity: (T) =>
      hasCyclones
        ? jointGust(gustAt, (years) => mappedWind(years) * windFactor * CYCLONE_GUST, T)
        : gustAt(T),
  };
}

/** Gust that both causes together exceed once in T years: their rates add. */
function jointGust(windstorm: (T: number) => number, cyclone: (T: number) => number, T: number): number {
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

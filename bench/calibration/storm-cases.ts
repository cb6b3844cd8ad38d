import { type Gev, gevQuantile, gevReturnLevel, gevWithShape } from '../../src/numerics/gev.ts';
import { sampleLMoments } from '../../src/numerics/l-moments.ts';
import { windstormDamageRatio } from '../../src/risk/storm/schwierz.ts';
import { type Random, simulatedCard, type SimulatedCase, trueScoreOf } from './simulated-case.ts';

const MAP_YEARS = [2, 5, 10, 25, 50, 100, 250] as const;
const RECORD_YEARS = [25, 40, 60] as const;
const CELLS_M = [1000, 5000, 25_000] as const;
/** Annual damage ratio by storms that are in no layer [1/yr], and its log spread: src/risk/storm/storm-assessor.ts. */
const UNMAPPED_DAMAGE = 0.00001;
const UNMAPPED_LOG_SPREAD = 1.5;
const REGIONAL_SHAPE = 0.05; // GEV shape of the region, towards which the shape of a station is shrunk

/**
 * A place with gust maps and without cyclones. The annual maximum gust has a known GEV; the maps come from a record
 * of some decades at a neighbour with different exposure. The building's damage is the published mean times a
 * lognormal factor.
 */
export function mappedStormCase(random: Random): SimulatedCase {
  const truth: Gev = {
    location: random.between(23, 32),
    scale: random.between(2.2, 4.2),
    shape: REGIONAL_SHAPE + 0.06 * random.normal(),
  };
  const cellM = random.pick(CELLS_M);
  const exposure = Math.exp((0.04 + 0.025 * Math.log10(cellM / 1000)) * random.normal());
  const maxima = Float64Array.from({ length: random.pick(RECORD_YEARS) }, () =>
    gevQuantile(truth, random.uniform()),
  );
  const fitted = gevWithShape(sampleLMoments(maxima), REGIONAL_SHAPE);
  const factor = Math.exp(0.7 * random.normal());
  const gustAt = (T: number): number => gevReturnLevel(truth, T) * exposure;
  return {
    cards: [
      ...MAP_YEARS.map((T) => simulatedCard('gust', T, cellM)),
      simulatedCard('coast-distance', null, 4638),
    ],
    readings: [...MAP_YEARS.map((T) => gevReturnLevel(fitted, T)), 80].map((value) => ({ ok: true, value })),
    lat: 50,
    lng: 8,
    trueScore: trueScoreOf(
      (T) => Math.min(1, factor * windstormDamageRatio(gustAt(T))),
      unmappedStormDamage(random),
    ),
    trueIntensity: gustAt,
  };
}

/** Draws the annual damage ratio by storms that are in no layer [1/yr]. */
export function unmappedStormDamage(random: Random): number {
  return UNMAPPED_DAMAGE * Math.exp(UNMAPPED_LOG_SPREAD * (random.normal() - UNMAPPED_LOG_SPREAD / 2));
}

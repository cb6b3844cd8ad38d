import { normalQuantile } from '../../src/numerics/normal.ts';
import { fuelOf } from '../../src/risk/wildfire/fire-fuel.ts';
import { drawnClimate, lognormal, logUniform, MIXED_LOSS, USUAL_SEVERITY } from './drawn-fire-climate.ts';
import { type Random, simulatedCard, type SimulatedCase, trueScoreOf } from './simulated-case.ts';
import {
  COVERS,
  DANGER,
  drynessOf,
  type FireLayer,
  gamma,
  LOCAL_SHAPE,
  LOSS,
  REGION,
} from './wildfire-cases.ts';

/** Range of the severities usual in climates, uniform in the logarithm. */
const SEVERITIES = [0.5, 20] as const;
/** Log spreads of docs/methods/wildfire.md: countries about a climate; unknown fuel; its loss. */
const COUNTRIES = 1.8;
const UNKNOWN_FUEL = 0.7;
const UNKNOWN_LOSS = 1;

/**
 * A place of which only the climate is known. Its rate is drawn from the spread of countries about their climates or, for
 * half of the places, from the finer class of model: severity, land cover and region, which the model does not receive.
 */
export function climateFireCase(random: Random): SimulatedCase {
  const usual = logUniform(random, SEVERITIES);
  const severity = usual * Math.exp(USUAL_SEVERITY * random.normal());
  const climate = drawnClimate(random, severity, usual);
  const fuel = fuelOf(random.pick(COVERS))!;
  const danger = DANGER.effect * (1 + DANGER.error * random.normal());
  const isFiner = random.uniform() < 0.5;
  const ofPlace = isFiner
    ? lognormal(random, REGION) *
      Math.exp(danger * (severity - usual) + fuel.logRate + fuel.logRateError * random.normal()) *
      drynessOf(severity)
    : lognormal(random, Math.hypot(COUNTRIES, UNKNOWN_FUEL));
  const rate = climate.rate * climate.ofPeople * ofPlace * (gamma(LOCAL_SHAPE, random) / LOCAL_SHAPE);
  const ofFuel = isFiner
    ? fuel.conditionalLoss * lognormal(random, LOSS)
    : MIXED_LOSS * lognormal(random, UNKNOWN_LOSS);
  const damage = -Math.expm1(-rate) * Math.min(1, climate.lossRatio * ofFuel);
  const yearSpread = 0.45 + 0.1 * random.normal();
  const layers: FireLayer[] = [['coast-distance', null, 80], ...climate.layers];
  return {
    cards: layers.map(([layer, years]) => simulatedCard(layer, years, 10_000)),
    readings: layers.map(([, , value]) => ({ ok: true, value })),
    lat: 40,
    lng: -4,
    trueScore: trueScoreOf(() => damage),
    trueIntensity: (T) => severity * Math.exp(yearSpread * normalQuantile(1 - 1 / T) - yearSpread ** 2 / 2),
  };
}

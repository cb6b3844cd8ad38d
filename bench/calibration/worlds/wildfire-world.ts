import { normalQuantile } from '../../../src/numerics/normal.ts';
import { fuelOf } from '../../../src/risk/wildfire/fire-fuel.ts';
import { drawnClimate, lognormal } from '../drawn-fire-climate.ts';
import { type Random, trueScoreOf } from '../simulated-case.ts';
import {
  COVERS,
  DANGER,
  dangerLayers,
  drynessOf,
  type FireLayer,
  gamma,
  LOCAL_SHAPE,
  LOSS,
  record,
  REGION,
  SLOPE,
} from '../wildfire-cases.ts';
import { type Place, type View, type ViewLayer, viewOf, type World } from './world.ts';

const FINE_M = 100;
const COARSE_CELLS_M = [1000, 10_000] as const;
const SLOPE_CELL_M = 30;
/** Cells in which fires are counted and burned land is mapped [m]. */
const RECORD_CELL_M = 10_000;
/**
 * Share of cells whose mapped land cover is another one than that around the house [1] (our choice): global maps of
 * 10 m to 100 m have an overall accuracy of 0.75 to 0.8, and wide cells mix covers.
 */
const WRONG_COVER = { fine: 0.2, coarse: 0.4 };
const CLIMATE_CELL_M = 9277;
const COAST_KM = 80;
/** Log spread of the rates of countries about their climate (docs/methods/wildfire.md). */
const COUNTRIES = 1.8;

/** How rates depend on weather and fuel: throughout, up to where fuel limits them, or by country alone. */
const TRUTHS = ['driven by weather', 'limited by fuel', 'by country'] as const;

function place(random: Random): Place {
  const truth = random.pick(TRUTHS);
  const severity = Math.exp(random.between(Math.log(0.3), Math.log(25)));
  const yearSpread = Math.min(0.7, Math.max(0.25, 0.45 + 0.1 * random.normal()));
  const ofYear = (z: number): number => severity * Math.exp(yearSpread * z - yearSpread ** 2 / 2);
  const intensity = (T: number): number => ofYear(normalQuantile(1 - 1 / T));
  const cover = random.pick(COVERS);
  const slope = random.between(0, 20);
  const fuel = fuelOf(cover)!;
  const climate = drawnClimate(random, severity);
  const danger = DANGER.effect * (1 + DANGER.error * random.normal());
  const reference = Math.min(DANGER.greatest, climate.severity);
  const logFactor = (s: number): number =>
    danger * (Math.min(DANGER.greatest, s) - reference) + Math.log(drynessOf(s));
  // Where fuel limits fire, the driest places burn less than those of middling danger (Pausas & Ribeiro 2013).
  const ofWeather = truth === 'limited by fuel' ? -Math.abs(logFactor(severity)) : logFactor(severity);
  const ofPlace =
    truth === 'by country'
      ? lognormal(random, COUNTRIES)
      : lognormal(random, REGION) *
        Math.exp(ofWeather) *
        Math.exp(fuel.logRate + fuel.logRateError * random.normal()) *
        Math.exp((SLOPE.effect + SLOPE.error * random.normal()) * (slope - SLOPE.mean));
  const rate = climate.rate * climate.ofPeople * ofPlace * (gamma(LOCAL_SHAPE, random) / LOCAL_SHAPE);
  let meanFactor = 0;
  for (let k = 0; k < 100; k++)
    meanFactor += Math.exp(logFactor(ofYear(normalQuantile((k + 0.5) / 100)))) / 100;
  const loss = Math.min(1, climate.lossRatio * fuel.conditionalLoss * lognormal(random, LOSS));
  const burnt = (T: number): number => -Math.expm1((-rate * Math.exp(logFactor(intensity(T)))) / meanFactor);

  const coarseM = random.pick(COARSE_CELLS_M);
  const weather = dangerLayers(random, ofYear);
  const fine = coverAs(random, cover, WRONG_COVER.fine);
  const coarse = coverAs(random, cover, WRONG_COVER.coarse);
  const known: readonly ViewLayer[] = [
    ['coast-distance', null, 4638, COAST_KM],
    ...climate.layers.map(([layer, T, value]): ViewLayer => [layer, T, CLIMATE_CELL_M, value]),
  ];
  const view = (coverM: number, shown: number, layers: readonly FireLayer[], cellM: number): View =>
    viewOf([
      ...known,
      ['land-cover', null, coverM, shown],
      ['slope', null, SLOPE_CELL_M, slope],
      ...layers.map(([layer, T, value]): ViewLayer => [layer, T, cellM, value]),
    ]);
  return {
    lat: 40,
    lng: -4,
    truth,
    trueScore: trueScoreOf((T) => burnt(T) * loss),
    trueIntensity: intensity,
    views: [
      viewOf(known),
      view(FINE_M, fine, [], coarseM),
      view(coarseM, coarse, weather, coarseM),
      view(FINE_M, fine, weather, coarseM),
      view(FINE_M, fine, [...weather, ...record(random, 'burn-history', rate)], RECORD_CELL_M),
      view(FINE_M, fine, [...weather, ...record(random, 'fire-frequency', rate)], RECORD_CELL_M),
    ],
  };
}

function coverAs(random: Random, cover: number, wrong: number): number {
  return random.uniform() < wrong ? random.pick(COVERS) : cover;
}

/** Wildfire: rates that follow the weather throughout, that fuel limits where it is driest, or that countries decide. */
export const WILDFIRE_WORLD: World = { peril: 'wildfire', place };

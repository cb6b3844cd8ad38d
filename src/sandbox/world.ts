import { plantEvents, type PlantedEvent } from './events.ts';
import { makeLand, type Land } from './land-cover.ts';
import { makeGround, type Ground } from './terrain.ts';
import { dayOf, makeWeather, type Weather } from './weather.ts';

/** The whole simulated region up to some day: everything that its observations are made from. */
export interface World {
  readonly seed: number;
  readonly ground: Ground;
  readonly land: Land;
  /** By day, from day 0. */
  readonly weather: readonly Weather[];
  /** The truth. */
  readonly events: readonly PlantedEvent[];
}

/** Days that the region's time has, after which its clock stands: three years of history, ten to live through. */
export const SANDBOX_DAYS = dayOf(2035, 1, 1);

/** Makes the region for the days `[0, days)`; the same days are the same in a longer one. */
export function makeWorld(seed: number, days: number): World {
  const ground = makeGround(seed);
  const land = makeLand(seed, ground);
  return {
    seed,
    ground,
    land,
    weather: makeWeather(seed, days),
    events: plantEvents(seed, ground, land, days),
  };
}

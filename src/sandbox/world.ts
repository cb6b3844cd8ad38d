import { plantEvents, type PlantedEvent } from './events.ts';
import { makeLand, type Land } from './land-cover.ts';
import { makeGround, type Ground } from './terrain.ts';
import { dayOf, makeWeather, type Weather } from './weather.ts';

/** The simulated region up to a given day: all data from which the observations of the region are computed. */
export interface World {
  readonly seed: number;
  readonly ground: Ground;
  readonly land: Land;
  /** Weather by day, starting at day 0. */
  readonly weather: readonly Weather[];
  /** The planted events. */
  readonly events: readonly PlantedEvent[];
}

/**
 * Number of simulated days, after which the sandbox's clock stops: three years of history and ten years of live
 * simulation.
 */
export const SANDBOX_DAYS = dayOf(2035, 1, 1);

/**
 * Creates the region for the days `[0, days)`. A larger `days` does not change the weather and the events of a day.
 */
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

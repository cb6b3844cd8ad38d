import { mapGrid } from '../geo/grid.ts';
import { exponential } from './portable-math.ts';
import { hash, normal, uniform } from './random.ts';
import { WEATHER_SITES, weatherAt, type Site } from './stations.ts';
import { SANDBOX_GRID, type Ground } from './terrain.ts';
import { calendar, dayOf, makeWeather, type Weather } from './weather.ts';

/** First and last year of the recorded weather and fires before the first simulated day. */
export const PAST_YEARS = { from: 1992, to: 2021 } as const;

/** Weather at a station on every day of PAST_YEARS. */
export interface PastWeather {
  readonly site: Site;
  readonly lng: number;
  readonly lat: number;
  /** Days since 2022-01-01, ascending; negative, because they are earlier. */
  readonly days: readonly number[];
  readonly weather: readonly Weather[];
}

/** Weather that the stations recorded in PAST_YEARS. */
export function pastWeather(world: {
  readonly seed: number;
  readonly ground: Ground;
}): readonly PastWeather[] {
  const first = dayOf(PAST_YEARS.from, 1, 1);
  const shore = makeWeather(world.seed, 0, first);
  return WEATHER_SITES.map((site) => {
    const [lng, lat] = mapGrid(SANDBOX_GRID).toLngLat(site.col + 0.5, site.row + 0.5);
    return {
      site,
      lng,
      lat,
      days: shore.map((_, i) => first + i),
      weather: shore.map((day, i) => weatherAt(world, site, day, first + i)),
    };
  });
}

/** Highest gust of each year [m/s]. */
export function yearlyGusts({ days, weather }: PastWeather): readonly number[] {
  const byYear = Map.groupBy(weather, (_, i) => calendar(days[i]!).year);
  return [...byYear.values()].map((year) => Math.max(...year.map(({ gustMps }) => gustMps)));
}

/** One fire of the past. */
export interface PastFire {
  readonly lng: number;
  readonly lat: number;
  /** Days since 2022-01-01; negative. */
  readonly day: number;
  readonly areaHa: number;
}

const FIRES_PER_YEAR = 0.8; // number of fires per year in the 36 km2 of the region (our choice)
const FIRE_HA = 12; // median area of a fire
const FIRE_LOG_SPREAD = 0.9; // standard deviation of the logarithm of the area

/** Fires of 1 ha or more recorded in PAST_YEARS, in summer and on land. */
export function pastFires(seed: number, { isWater }: Ground): readonly PastFire[] {
  const years = PAST_YEARS.to - PAST_YEARS.from + 1;
  const fires: PastFire[] = [];
  for (let n = 0; n < FIRES_PER_YEAR * years; n++) {
    let turn = 0;
    let pixel = 0;
    do pixel = hash(seed, 91, n, turn++) % isWater.length;
    while (isWater[pixel] === 1);
    const [lng, lat] = mapGrid(SANDBOX_GRID).pixelCentre(pixel);
    const year = PAST_YEARS.from + (hash(seed, 92, n) % years);
    const areaHa = FIRE_HA * exponential(FIRE_LOG_SPREAD * normal(seed, 93, n));
    fires.push({
      lng,
      lat,
      day: dayOf(year, 6, 15) + Math.floor(90 * uniform(seed, 94, n)),
      areaHa: Math.max(1, areaHa),
    });
  }
  return fires.toSorted((a, b) => a.day - b.day || a.lng - b.lng);
}

import { mapGrid } from '../geo/grid.ts';
import { displacementAt } from './motion.ts';
import { hash, normal } from './random.ts';
import { SANDBOX_GRID } from './terrain.ts';
import { FIRST_DAY_MS, seasonOf, type Weather } from './weather.ts';
import { DAY_MS } from '../base/time.ts';
import type { World } from './world.ts';

/**
 * A place with daily measurements, and factors that convert the weather at the shore to the weather at this place.
 */
export interface Site {
  readonly key: string;
  readonly col: number;
  readonly row: number;
  /** Factor that multiplies the wind at the shore [1]. */
  readonly exposure: number;
  /** Factor that multiplies the rain at the shore [1]. */
  readonly wetness: number;
}

/** Weather stations at the harbour, in the plain and on the ridge. */
export const WEATHER_SITES: readonly Site[] = [
  { key: 'SIM-HARBOUR', col: 96, row: 150, exposure: 1.1, wetness: 1 },
  { key: 'SIM-PLAIN', col: 160, row: 110, exposure: 0.9, wetness: 1.05 },
  { key: 'SIM-RIDGE', col: 262, row: 170, exposure: 1.25, wetness: 1.3 },
];
/** GNSS antennas: one in the middle of the subsidence bowl, one on stable ground. */
const ANTENNAS: readonly Pick<Site, 'key' | 'col' | 'row'>[] = [
  { key: 'SIM-TOWN', col: 95, row: 165 },
  { key: 'SIM-ROCK', col: 250, row: 220 },
];

const LAPSE_C_PER_M = 0.0065; // lapse rate of the standard atmosphere (ISO 2533)
const KMH_PER_MPS = 3.6;
const NOON_HOUR_UTC = 14; // hour of the noon reports; solar noon at 27 W is 13.8 h UTC
/** Share of the rain that reaches the river: its annual mean, and how much lower it is in late July (our choice). */
const RUNOFF = { mean: 0.45, season: 0.25 };
const SEEPING = 0.5; // share of the water on its way to the river that seeps into the ground: a base-flow index
/**
 * Share of the quick flow and of the slow flow that remains after a day: .7 to .94 for interflow, .93 to .995 for
 * groundwater (Nathan & McMahon 1990, doi:10.1029/WR026i007p01465).
 */
const RECESSION = { quick: 0.8, slow: 0.97 };
const START_MM = 0.5; // slow flow per day at the start of the record, close to the mean slow flow
const GNSS_NOISE_MM = 2.5; // standard deviation of the height in a daily position

/** Observations of one metric at one place of a station network. */
export interface SiteSeries {
  readonly network: 'weather' | 'river' | 'gnss';
  readonly metric: string;
  readonly key: string;
  readonly lng: number;
  readonly lat: number;
  /** Milliseconds since the Unix epoch, ascending. */
  readonly timesMs: Float64Array;
  /** Observed values in the metric's unit. */
  readonly values: Float64Array;
}

/** Weather at a site, computed from the weather at the shore. */
export function weatherAt(
  world: Pick<World, 'seed' | 'ground'>,
  site: Site,
  shore: Weather,
  day: number,
): Weather {
  const own = (what: number): number => normal(world.seed, hash(80, what, site.col), day);
  const heightM = Math.max(0, world.ground.elevationM[pixelOf(site)]!);
  return {
    temperatureC: rounded(shore.temperatureC - LAPSE_C_PER_M * heightM + 0.3 * own(1), 1),
    humidity: Math.round(Math.min(100, Math.max(5, shore.humidity + 2 * own(2)))),
    windKmh: rounded(shore.windKmh * site.exposure * (1 + 0.06 * own(3)), 1),
    gustMps: rounded(shore.gustMps * site.exposure * (1 + 0.05 * own(4)), 1),
    rainMm: rounded(shore.rainMm * site.wetness * Math.max(0.3, 1 + 0.15 * own(5)), 1),
  };
}

/** All station observations of the days `[from, to)`. */
export function stationSeries(world: World, from: number, to: number): readonly SiteSeries[] {
  const series: SiteSeries[] = [];
  const add = (
    network: SiteSeries['network'],
    site: Pick<Site, 'key' | 'col' | 'row'>,
    metric: string,
    valueOf: (day: number) => number,
  ): void => {
    const [lng, lat] = mapGrid(SANDBOX_GRID).pixelCentre(pixelOf(site));
    const timesMs = new Float64Array(to - from);
    const values = new Float64Array(to - from);
    for (let day = from; day < to; day++) {
      timesMs[day - from] = FIRST_DAY_MS + day * DAY_MS + NOON_HOUR_UTC * 3_600_000;
      values[day - from] = valueOf(day);
    }
    series.push({
      network,
      metric,
      key: site.key,
      lng: rounded(lng, 6),
      lat: rounded(lat, 6),
      timesMs,
      values,
    });
  };
  for (const site of WEATHER_SITES) {
    const days = world.weather.slice(from, to).map((shore, i) => weatherAt(world, site, shore, from + i));
    const at = (day: number): Weather => days[day - from]!;
    add('weather', site, 'temperature', (day) => at(day).temperatureC);
    add('weather', site, 'humidity', (day) => at(day).humidity);
    add('weather', site, 'wind', (day) => rounded(at(day).windKmh / KMH_PER_MPS, 1));
    add('weather', site, 'gust', (day) => at(day).gustMps);
    add('weather', site, 'precipitation', (day) => at(day).rainMm);
  }
  const gauge = riverMouth(world);
  const flows = riverFlow(world, gauge, to);
  const place = {
    key: 'SIM-RIVER',
    col: gauge % SANDBOX_GRID.width,
    row: Math.floor(gauge / SANDBOX_GRID.width),
  };
  add('river', place, 'river_flow', (day) => flows[day]!);
  for (const antenna of ANTENNAS) {
    const pixel = pixelOf(antenna);
    const movedMm = displacementAt(world, pixel);
    add('gnss', antenna, 'displacement_up', (day) =>
      rounded(movedMm(day) + GNSS_NOISE_MM * normal(world.seed, 87, pixel, day), 2),
    );
  }
  return series;
}

/** Pixel where the largest river meets the sea. */
function riverMouth({ ground }: World): number {
  let mouth = 0;
  ground.upstreamKm2.forEach((area, pixel) => {
    if (area > (ground.upstreamKm2[mouth]! || 0)) mouth = pixel;
  });
  return mouth;
}

/** River flow at the gauge by day, starting at day 0, with measurement errors [m3/s]. */
function riverFlow({ seed, ground, weather }: World, mouth: number, days: number): Float64Array {
  const perMm = (ground.upstreamKm2[mouth]! * 1e6) / 1000 / 86_400; // flow [m3/s] of 1 mm per day from the catchment
  return runoff(weather.slice(0, days), 0).map((mm, day) =>
    rounded(perMm * mm * (1 + 0.03 * normal(seed, 86, day)), 3),
  );
}

/**
 * Water that leaves the catchment each day [mm]: quick runoff plus slow seepage. In summer, a smaller share of the
 * rain reaches the river.
 * @param from day of the first value
 */
export function runoff(weather: readonly Pick<Weather, 'rainMm'>[], from: number): Float64Array {
  let [quick, slow] = [0, START_MM];
  return Float64Array.from(weather, ({ rainMm }, i) => {
    const running = (RUNOFF.mean - RUNOFF.season * seasonOf(from + i)) * rainMm;
    quick = RECESSION.quick * quick + (1 - RECESSION.quick) * (1 - SEEPING) * running;
    slow = RECESSION.slow * slow + (1 - RECESSION.slow) * SEEPING * running;
    return quick + slow;
  });
}

function pixelOf({ col, row }: Pick<Site, 'col' | 'row'>): number {
  return row * SANDBOX_GRID.width + col;
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

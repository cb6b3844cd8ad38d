/**
 * Anomalies in the weather of the simulated region, from station series only, without a database. First, for several
 * seeds: how many anomalies of an area that covers the whole region belong to a planted event, to other weather that
 * is rare in the thirty years before, or to neither; how many would belong to a planted event or rare weather if each
 * anomaly were moved to other dates; and which planted events were not detected. Then the ratio of flagged to nominal
 * values in ten records of three years without planted events.
 */
import { fireWeatherSeries } from '../src/app/series/derived/fire-weather-series.ts';
import { monthOfRain } from '../src/app/series/derived/derived-series.ts';
import { judgeAnomalies, plantedSpells, type SeenAnomaly } from '../src/app/sandbox/truth/anomalies.ts';
import { rareWeather } from '../src/app/sandbox/truth/weather.ts';
import { stationAnomalies } from '../test/fakes/simulated-station-anomalies.ts';
import { judge } from '../src/anomaly/judgement.ts';
import { metricLaw } from '../src/anomaly/metric-law.ts';
import { SEVERITY_LIMITS } from '../src/anomaly/severity.ts';
import { LIVE_FROM } from '../src/sandbox/events.ts';
import { PAST_YEARS } from '../src/sandbox/past.ts';
import { runoff } from '../src/sandbox/stations.ts';
import { dayOf, FIRST_DAY_MS, makeWeather, type Weather } from '../src/sandbox/weather.ts';
import { DAY_MS } from '../src/base/time.ts';
import { makeWorld } from '../src/sandbox/world.ts';

const SEEDS = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [7, 1, 2, 3, 4, 5];
const MOVES = 40; // number of times that each anomaly is moved
const STEP_DAYS = 17; // days from one move to the next
const JUDGED_FROM = dayOf(2023, 1, 1); // first judged day; earlier days are only the record to compare with
const RECORD_YEARS = 3;
const LAT = 46;
const LNG = -27;

const percent = (part: number, whole: number): string => `${Math.round((100 * part) / whole)} %`.padStart(6);

/** Moves an anomaly some days later; a start after the end of the record wraps around to the beginning. */
function moved(anomaly: SeenAnomaly, days: number): SeenAnomaly {
  const first = FIRST_DAY_MS + JUDGED_FROM * DAY_MS;
  const at = anomaly.startedAt.getTime() - first + days * DAY_MS;
  const startedAt = new Date(first + (at % ((LIVE_FROM - JUDGED_FROM) * DAY_MS)));
  const lasted = anomaly.endedAt === null ? null : anomaly.endedAt.getTime() - anomaly.startedAt.getTime();
  return { ...anomaly, startedAt, endedAt: lasted === null ? null : new Date(startedAt.getTime() + lasted) };
}

console.log('seed  anomalies  planted   rare  neither  true if moved  planted and not seen');
for (const seed of SEEDS) {
  const world = makeWorld(seed, LIVE_FROM);
  const planted = plantedSpells(world.events, LIVE_FROM);
  const rare = rareWeather(seed, LIVE_FROM);
  const seen = stationAnomalies(world, LIVE_FROM);
  const { claims, planted: judged } = judgeAnomalies(planted, rare, seen);
  const count = claims.anomalies;
  const neither = count - claims.onPlanted - claims.onRareWeather;
  let [hits, tried] = [0, 0];
  for (let k = 1; k <= MOVES; k++) {
    const elsewhere = judgeAnomalies(
      planted,
      rare,
      seen.map((anomaly) => moved(anomaly, k * STEP_DAYS)),
    ).claims;
    hits += elsewhere.onPlanted + elsewhere.onRareWeather;
    tried += elsewhere.anomalies;
  }
  const missed = judged.filter(({ whyNot }) => whyNot !== null).map(({ what, from }) => `${what} ${from}`);
  console.log(
    `${String(seed).padStart(4)}  ${String(count).padStart(9)}  ${percent(claims.onPlanted, count)}  ${percent(claims.onRareWeather, count)}  ${percent(neither, count)}  ${percent(hits, tried).padStart(13)}   ${missed.join(', ')}`,
  );
}

const limits = SEVERITY_LIMITS.map(([limit]) => limit).toReversed();
const tallies = new Map<string, { judged: number; readonly up: number[]; readonly down: number[] }>();
const first = dayOf(PAST_YEARS.from, 1, 1);

function tally(metric: string, timesMs: Float64Array, values: Float64Array): void {
  const none = { judged: 0, up: limits.map(() => 0), down: limits.map(() => 0) };
  const counts = tallies.get(metric) ?? none;
  tallies.set(metric, counts);
  const { tailProbability, departure } = judge({ timesMs, values, law: metricLaw(metric) });
  for (const [i, p] of tailProbability.entries()) {
    if (Number.isNaN(p)) continue;
    counts.judged += 1;
    const side = departure[i]! > 0 ? counts.up : counts.down;
    for (const [s, limit] of limits.entries()) if (p <= limit) side[s]! += 1;
  }
}

for (const seed of SEEDS) {
  const recorded = makeWeather(seed, 0, first);
  for (let year: number = PAST_YEARS.from; year + RECORD_YEARS <= PAST_YEARS.to + 1; year += RECORD_YEARS) {
    const from = dayOf(year, 1, 1);
    const weather = recorded.slice(from - first, dayOf(year + RECORD_YEARS, 1, 1) - first);
    const timesMs = Float64Array.from(weather, (_, i) => FIRST_DAY_MS + (from + i) * DAY_MS);
    const values = (of: (day: Weather) => number) =>
      Float64Array.from(weather, (day) => Number(of(day).toFixed(1)));
    const temperature = values(({ temperatureC }) => temperatureC);
    const humidity = values((day) => day.humidity);
    const wind = values(({ windKmh }) => windKmh / 3.6);
    const rain = { timesMs, values: values(({ rainMm }) => rainMm) };
    tally('temperature', timesMs, temperature);
    tally('humidity', timesMs, humidity);
    tally('wind', timesMs, wind);
    tally(
      'gust',
      timesMs,
      values(({ gustMps }) => gustMps),
    );
    tally('precipitation', timesMs, rain.values);
    tally('river_flow', timesMs, runoff(weather, from));
    const month = monthOfRain(rain);
    tally('precipitation_30d', month.timesMs, month.values);
    const at = (of: Float64Array) => ({ timesMs, values: of });
    const fire = { temperature: at(temperature), humidity: at(humidity), wind: at(wind), rain };
    const { timesMs: days, values: fwi } = fireWeatherSeries(fire, LNG, LAT);
    tally('fwi', days, fwi);
  }
}
console.log(
  `\n${`flagged over nominal, records of ${RECORD_YEARS} years`.padEnd(36)} judged  above: low  med  high  crit   below: low  med  high  crit`,
);
for (const [metric, { judged, up, down }] of tallies) {
  // Half of the flagged values should be above the expected value, so each side is compared with half the limit.
  const ratios = (of: readonly number[]): string =>
    of.map((n, s) => ((2 * n) / judged / limits[s]!).toFixed(2)).join('  ');
  console.log(`${metric.padEnd(36)} ${String(judged).padStart(6)}      ${ratios(up)}       ${ratios(down)}`);
}

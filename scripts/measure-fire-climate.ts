// Measures the statistics of fire seasons for the constants of src/risk/wildfire/burn-rate.ts: the ratio of the mean
// Daily Severity Rating to the rating of the mean index, its spread from year to year, and the ratio of the season to
// the worst week of the year.
//   node scripts/measure-fire-climate.ts FOLDER
// FOLDER contains era5-daily-canada (daily weather 1990-1993). Noon weather is approximated by the maximum
// temperature, the humidity computed from that temperature and the mean dew point, and the mean wind.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { yearlyDangerMaxima } from '../test/oracles/yearly-danger-maxima.ts';
import { dailySeverityRating } from '../src/risk/wildfire/fire-weather/fire-weather-index.ts';
import type { MoistureCodes } from '../src/risk/wildfire/fire-weather/fire-weather.ts';
import { SPRING_CODES } from '../src/risk/wildfire/fire-weather/fire-weather.ts';
import { nextFireDanger } from '../src/risk/wildfire/fire-weather/next-fire-danger.ts';

const CITIES = [
  ['halifax', 44.5],
  ['montreal', 45.5],
  ['saskatoon', 52],
] as const;

/** First and last month of the fire season. */
const FIRST_MONTH = 6;
const LAST_MONTH = 9;

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write('usage: node scripts/measure-fire-climate.ts FOLDER\n');
  process.exit(2);
}

/** Saturation vapour pressure [hPa] (Bolton 1980 eq. 10). */
function vapourPressure(temperatureC: number): number {
  return 6.112 * Math.exp((17.67 * temperatureC) / (temperatureC + 243.5));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const convexities: number[] = [];
const spreads: number[] = [];
const shares: number[] = [];
for (const [city, latitude] of CITIES) {
  const [head, ...lines] = readFileSync(join(folder, 'era5-daily-canada', `${city}.csv`), 'utf8')
    .trim()
    .split('\n');
  const names = head!.split(',');
  const value = (cells: readonly string[], name: string): number => Number(cells[names.indexOf(name)]);
  let codes: MoistureCodes = SPRING_CODES;
  const days = lines.map((line) => {
    const cells = line.split(',');
    const [year, month] = cells[0]!.split('-').map(Number) as [number, number];
    if (month < 4) codes = SPRING_CODES;
    const temperatureC = value(cells, 'tmax_c');
    const humidity = (100 * vapourPressure(value(cells, 'dewpoint_c'))) / vapourPressure(temperatureC);
    const weather = {
      temperatureC,
      relativeHumidity: Math.min(100, humidity),
      windKmh: 3.6 * value(cells, 'wind_mean_ms'),
      rainMm: value(cells, 'precip_mm'),
    };
    const today = nextFireDanger(codes, weather, latitude, month);
    codes = today;
    return { year, month, fwi: today.fwi, dsr: today.dsr };
  });
  const seasons = [
    ...Map.groupBy(
      days.filter(({ month }) => month >= FIRST_MONTH && month <= LAST_MONTH),
      ({ year }) => year,
    ).values(),
  ];
  const severity = seasons.map((season) => mean(season.map(({ dsr }) => dsr)));
  const indices = seasons.map((season) => mean(season.map(({ fwi }) => fwi)));
  const maxima = yearlyDangerMaxima(
    days.map(({ fwi, month }) => (month < 4 || month > 10 ? 0 : fwi)),
    days.map(({ year }) => year),
  );
  const logs = severity.map(Math.log);
  const convexity = mean(severity) / dailySeverityRating(mean(indices));
  const spread = Math.sqrt(logs.reduce((sum, log) => sum + (log - mean(logs)) ** 2, 0) / (logs.length - 1));
  const worst = maxima.toSorted();
  const share = mean(severity) / dailySeverityRating((worst[1]! + worst[2]!) / 2);
  convexities.push(convexity);
  spreads.push(spread);
  shares.push(share);
  process.stdout.write(
    `${city}: mean FWI ${mean(indices).toFixed(1)}, seasonal severity ${mean(severity).toFixed(2)}, over that of the mean ` +
      `index ${convexity.toFixed(2)}, log spread of years ${spread.toFixed(2)}, worst weeks ` +
      `${[...maxima].map((m) => m.toFixed(1)).join(' ')}, severity over that of their median ${share.toFixed(2)}\n`,
  );
}
process.stdout.write(
  `means: ${mean(convexities).toFixed(2)}, ${mean(spreads).toFixed(2)}, ${mean(shares).toFixed(2)}\n`,
);

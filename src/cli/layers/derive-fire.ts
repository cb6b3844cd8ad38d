import { deriveFireDanger, SEASONS, type SeasonName } from '../../app/layers/derive/derive-fire-danger.ts';
import { deriveFireHistory } from '../../app/layers/derive/derive-fire-history.ts';
import type { WeatherRequest } from '../../app/layers/derive/fire-weather-source.ts';
import { Misuse, number, required, text, type Command, type Given } from '../command.ts';
import { bboxOption, CARD_OPTIONS, layerVersion, cardOptions, yearOption } from './layer-options.ts';
import { printAdded } from './add-layer.ts';

/** Default radius around a station in which its weather is used [km] (our choice). */
const REACH_KM = 25;
/**
 * Default carry-over and wetting fractions of the overwintered drought code. They apply to well-drained ground where
 * the drought code is known until about the time of the freeze in autumn (Lawson & Armitage 2008).
 */
const CARRY_OVER = 0.75;
const WETTING = 0.75;

export const deriveFireDangerCommand: Command = {
  name: 'layers derive fire-danger',
  summary:
    'Derive the climate of fire danger from daily noon weather, and install it (docs/methods/wildfire.md)',
  audited: true,
  options: {
    station: { value: 'S.csv', meaning: 'weather of one station, a line a day; or give stacks' },
    lat: { value: 'DEG', meaning: 'where the station stands', fallback: 'what the file says' },
    lng: { value: 'DEG', meaning: 'where the station stands', fallback: 'what the file says' },
    reach: {
      value: 'KM',
      meaning: 'radius around the station for which its weather is used',
      fallback: String(REACH_KM),
    },
    temperature: { value: 'T.tif', meaning: 'stack of temperatures at noon, one band a day' },
    'max-temperature': {
      value: 'X.tif',
      meaning: 'maxima of the day, for the season',
      fallback: 'as at noon',
    },
    humidity: { value: 'H.tif', meaning: 'stack of relative humidity at noon' },
    wind: { value: 'W.tif', meaning: 'stack of wind at noon, 10 m above ground' },
    rain: { value: 'R.tif', meaning: 'stack of rain of the 24 hours before noon' },
    snow: { value: 'D.tif', meaning: 'stack of snow depths [m], for --season temperature-snow' },
    dates: { value: 'D.csv', meaning: 'date of each band: columns band and date' },
    'temperature-unit': { value: 'C|K', meaning: 'of the stacks', fallback: 'C' },
    'humidity-unit': { value: '%|1', meaning: 'of the stack', fallback: '%' },
    'wind-unit': { value: 'km/h|m/s', meaning: 'of the stack', fallback: 'km/h' },
    'rain-unit': { value: 'mm|m', meaning: 'of the stack', fallback: 'mm' },
    season: {
      value: Object.keys(SEASONS).join('|'),
      meaning: 'what starts and ends the fire season',
      fallback: 'temperature',
    },
    'carry-over': {
      value: 'SHARE',
      meaning: "share of autumn's drought known in spring",
      fallback: String(CARRY_OVER),
    },
    wetting: {
      value: 'SHARE',
      meaning: "share of winter's water that wets the ground",
      fallback: String(WETTING),
    },
    'no-overwintering': { meaning: 'start every spring with the same drought code' },
    variant: {
      value: 'current|ftr33',
      meaning: 'form of the Fire Weather Index System',
      fallback: 'current',
    },
    version: layerVersion('version of the layers fire-danger and fire-severity'),
    ...CARD_OPTIONS,
  },
  async run(context, given) {
    const weather = weatherOf(given);
    const request = {
      weather,
      season: oneOf(given, 'season', Object.keys(SEASONS) as SeasonName[]),
      variant: oneOf(given, 'variant', ['current', 'ftr33']),
      overwintering:
        given.options['no-overwintering'] === true
          ? null
          : {
              carryOver: number(given, 'carry-over') ?? CARRY_OVER,
              wetting: number(given, 'wetting') ?? WETTING,
            },
      version: required(given, 'version'),
      ...cardOptions(given),
    };
    const { added, days, years, proxies } = await deriveFireDanger(await context.open(), request);
    context.note(`${days} days of weather; complete years: ${years}.`);
    if (added.length === 2)
      context.note('Return levels need ten complete years: only the means of the season are made.');
    for (const proxy of proxies) context.note(`Taken for noon weather: ${proxy}.`);
    printAdded(context, added);
  },
};

export const deriveFireHistoryCommand: Command = {
  name: 'layers derive fire-history',
  summary:
    'Derive how often fires burned near by from a record of fires, and install it (docs/methods/wildfire.md)',
  audited: true,
  options: {
    fires: {
      value: 'F.csv',
      meaning: 'latitude, longitude, date and perhaps area_ha of each fire, or FIRMS detections',
      required: true,
    },
    bbox: {
      value: 'W,S,E,N',
      meaning: 'box where the record is whole [degrees]; W is greater than E across the antimeridian',
      required: true,
    },
    version: layerVersion('version of the layers fire-frequency and burn-history'),
    from: { value: 'YEAR', meaning: 'first whole year of the record', fallback: 'that of the first fire' },
    to: { value: 'YEAR', meaning: 'last whole year of the record', fallback: 'that of the last fire' },
    ...CARD_OPTIONS,
  },
  async run(context, given) {
    const { added, fires, fromYear, toYear } = await deriveFireHistory(await context.open(), {
      path: required(given, 'fires'),
      bbox: bboxOption(given),
      version: required(given, 'version'),
      fromYear: yearOption(given, 'from'),
      toYear: yearOption(given, 'to'),
      ...cardOptions(given),
    });
    context.note(`${fires} fires of ${fromYear} to ${toYear}.`);
    if (added.length === 1) context.note('The record has no burned areas: only fire-frequency is made.');
    printAdded(context, added);
  },
};

/** Returns the weather source that the options name: one station, or stacks. @throws Misuse */
function weatherOf(given: Given): WeatherRequest {
  const station = text(given, 'station');
  if (station !== undefined) {
    const stack = ['temperature', 'humidity', 'wind', 'rain'].find((name) => text(given, name) !== undefined);
    if (stack !== undefined) throw new Misuse(`--station and --${stack}: expected one station or stacks`);
    return {
      station,
      lat: number(given, 'lat'),
      lng: number(given, 'lng'),
      reachKm: number(given, 'reach') ?? REACH_KM,
    };
  }
  if (text(given, 'temperature') === undefined)
    throw new Misuse('--station, or --temperature with --humidity, --wind, --rain and --dates, is required');
  return {
    temperature: required(given, 'temperature'),
    maximum: text(given, 'max-temperature'),
    humidity: required(given, 'humidity'),
    wind: required(given, 'wind'),
    rain: required(given, 'rain'),
    snow: text(given, 'snow'),
    dates: required(given, 'dates'),
    temperatureUnit: oneOf(given, 'temperature-unit', ['C', 'K']),
    humidityUnit: oneOf(given, 'humidity-unit', ['%', '1']),
    windUnit: oneOf(given, 'wind-unit', ['km/h', 'm/s']),
    rainUnit: oneOf(given, 'rain-unit', ['mm', 'm']),
  };
}

/** The value of an option with a fixed set of values; the first by default. @throws Misuse */
function oneOf<T extends string>(given: Given, name: string, words: readonly T[]): T {
  const typed = text(given, name) ?? words[0]!;
  const found = words.find((word) => word === typed);
  if (found === undefined) throw new Misuse(`--${name}: expected ${words.join(' or ')}, got ${typed}`);
  return found;
}

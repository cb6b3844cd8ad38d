import { deriveCycloneWind } from '../app/derive-cyclone-wind.ts';
import { deriveGust } from '../app/derive-gust.ts';
import { Misuse, number, required, type Command, type Given } from './command.ts';
import { CARD_OPTIONS, cardOptions, printAdded } from './layers-add.ts';

export const deriveGustCommand: Command = {
  name: 'layers derive gust',
  summary: 'Derive gust return levels from yearly maxima, and install them (docs/methods/storm.md)',
  options: {
    maxima: {
      value: 'STACK.tif',
      meaning: 'highest gust of each year [m/s], one band a year',
      required: true,
    },
    'layer-version': { value: 'V', meaning: 'version of the layer gust', required: true },
    ...CARD_OPTIONS,
  },
  async run(context, given) {
    const added = await deriveGust(await context.open(), {
      path: required(given, 'maxima'),
      version: required(given, 'layer-version'),
      ...cardOptions(given),
    });
    printAdded(context, added);
  },
};

export const deriveCycloneWindCommand: Command = {
  name: 'layers derive cyclone-wind',
  summary: 'Derive cyclone winds from IBTrACS best tracks, and install them (docs/methods/storm.md)',
  options: {
    tracks: {
      value: 'IBTRACS.csv',
      meaning: 'best tracks as NOAA publishes them (IBTrACS v4)',
      required: true,
    },
    bbox: {
      value: 'W,S,E,N',
      meaning: 'box to make [degrees]; W is greater than E across the antimeridian',
      required: true,
    },
    'layer-version': {
      value: 'V',
      meaning: 'version of the layers cyclone-wind and cyclone-count',
      required: true,
    },
    from: { value: 'SEASON', meaning: 'first season counted', fallback: '1980' },
    to: { value: 'SEASON', meaning: 'last season counted', fallback: 'the last that is final' },
    ...CARD_OPTIONS,
  },
  async run(context, given) {
    const { added, storms, fromSeason, toSeason } = await deriveCycloneWind(await context.open(), {
      path: required(given, 'tracks'),
      bbox: bboxOption(given),
      version: required(given, 'layer-version'),
      fromSeason: season(given, 'from'),
      toSeason: season(given, 'to'),
      ...cardOptions(given),
    });
    context.note(
      `${storms} storms of the seasons ${fromSeason} to ${toSeason} brought a gale to the box or near it.`,
    );
    printAdded(context, added);
  },
};

/** @throws Misuse */
function bboxOption(given: Given): readonly number[] {
  const typed = required(given, 'bbox');
  const values = typed.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (values.length !== 4 || !values.every(Number.isFinite))
    throw new Misuse(`--bbox: expected west,south,east,north in degrees, got ${typed}`);
  return values;
}

/** @throws Misuse */
function season(given: Given, name: string): number | undefined {
  const value = number(given, name);
  if (value !== undefined && !Number.isInteger(value))
    throw new Misuse(`--${name}: expected a year, got ${value}`);
  return value;
}

import { deriveCycloneWind } from '../../app/layers/derive/derive-cyclone-wind.ts';
import { deriveGust } from '../../app/layers/derive/derive-gust.ts';
import { deriveGustRecords } from '../../app/layers/derive/derive-gust-records.ts';
import { Misuse, required, text, type Command } from '../command.ts';
import { bboxOption, CARD_OPTIONS, layerVersion, cardOptions, yearOption } from './layer-options.ts';
import { noteRecords, RECORD_OPTIONS, recordsOf } from './record-options.ts';
import { printAdded } from './add-layer.ts';

/**
 * Lowest plausible median of the yearly maximum gusts of a station [m/s] (our choice). If the median is lower, the
 * unit is probably not m/s: no unsheltered station in the middle latitudes has such a low median. The lowest median of
 * 24 Dutch stations is 24 m/s.
 */
const LOW_GUST_MPS = 20;

export const deriveGustCommand: Command = {
  name: 'layers derive gust',
  summary: 'Derive gust return levels from rasters or stations, and install them (docs/methods/storm.md)',
  audited: true,
  options: {
    maxima: { value: 'STACK.tif', meaning: 'highest gust of each year [m/s], one band a year' },
    records: {
      value: 'RECORDS.csv',
      meaning: 'or gusts of stations: station, lat, lng, gust, and year or date',
    },
    ...RECORD_OPTIONS,
    version: layerVersion('version of the layer gust'),
    ...CARD_OPTIONS,
  },
  async run(context, given) {
    const [maxima, records] = [text(given, 'maxima'), text(given, 'records')];
    const shared = { version: required(given, 'version'), ...cardOptions(given) };
    if (maxima !== undefined && records === undefined) {
      const idle = Object.keys(RECORD_OPTIONS).find((name) => given.options[name] !== undefined);
      if (idle !== undefined)
        throw new Misuse(`--${idle}: goes with --records only; a stack of maxima has its own grid and scale`);
      printAdded(context, await deriveGust(await context.open(), { path: maxima, ...shared }));
    } else if (records !== undefined && maxima === undefined) {
      const derived = await deriveGustRecords(await context.open(), { ...recordsOf(given), ...shared });
      const { added, stations, usualMps } = derived;
      const usual = `every other year has ${usualMps.toFixed(1)} m/s or more`;
      context.note(
        `${stations} ${stations === 1 ? 'station' : 'stations'}; at the middle one ${usual}` +
          (usualMps < LOW_GUST_MPS
            ? `, little for gusts of three seconds: give --scale where these are means of an hour or a day`
            : '.'),
      );
      noteRecords(context, derived);
      printAdded(context, added);
    } else throw new Misuse('expected either --maxima STACK.tif or --records RECORDS.csv');
  },
};

export const deriveCycloneWindCommand: Command = {
  name: 'layers derive cyclone-wind',
  summary: 'Derive cyclone winds from best tracks, and install them (docs/methods/storm.md)',
  audited: true,
  options: {
    tracks: {
      value: 'IBTRACS.csv',
      meaning:
        'best tracks as NOAA publishes them (IBTrACS v4), or a table with time, lat, lon, wind [knots]',
      required: true,
    },
    bbox: {
      value: 'W,S,E,N',
      meaning: 'box to make [degrees]; W is greater than E across the antimeridian',
      required: true,
    },
    version: layerVersion('version of the layers cyclone-wind and cyclone-count'),
    from: {
      value: 'SEASON',
      meaning: 'first season counted',
      fallback: 'the first of the file, 1980 at the earliest',
    },
    to: { value: 'SEASON', meaning: 'last season counted', fallback: 'the last that is final' },
    ...CARD_OPTIONS,
  },
  async run(context, given) {
    const { added, storms, fromSeason, toSeason } = await deriveCycloneWind(await context.open(), {
      path: required(given, 'tracks'),
      bbox: bboxOption(given),
      version: required(given, 'version'),
      fromSeason: yearOption(given, 'from'),
      toSeason: yearOption(given, 'to'),
      ...cardOptions(given),
    });
    context.note(
      `${storms} storms of the seasons ${fromSeason} to ${toSeason} brought a gale to the box or near it.`,
    );
    printAdded(context, added);
  },
};

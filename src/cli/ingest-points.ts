import { deriveSeries } from '../app/stations/derive-series.ts';
import { ingestPoints, type PointsIngest } from '../app/stations/ingest-points.ts';
import { KNOWN_METRICS } from '../app/series/metric-cards.ts';
import { isKnownMetric } from '../app/series/metrics.ts';
import { areasSpokenFor } from '../app/stations/queue-anomaly-refresh.ts';
import { refreshAnomalies } from '../app/anomalies/refresh-anomalies.ts';
import { accountId } from './aois.ts';
import {
  ENVIRONMENT,
  environment,
  Misuse,
  number,
  required,
  text,
  type Command,
  type Given,
} from './command.ts';

const PROGRESS_EVERY_MS = 1000;

export const ingestPointsCommand: Command = {
  name: 'ingest points',
  summary:
    'Take in series at stations: weather, rivers, GNSS, InSAR points (CSV variants, .pos, .tenv3, NetCDF)',
  options: {
    collection: { value: 'NAME', meaning: 'collection it goes into, made when it is new', required: true },
    metric: { value: 'KEY', meaning: 'what the values are, such as temperature', required: true },
    file: { value: 'F.csv', meaning: 'the file; its form is recognised and told', required: true },
    lat: {
      value: 'Y',
      meaning: 'where its one station stands, or the place whose cell of a grid is meant [degrees]',
      fallback: 'columns of the file, or --stations',
    },
    lng: { value: 'X', meaning: 'see lat', fallback: 'columns of the file, or --stations' },
    column: {
      value: 'COL',
      meaning: 'column, or variable of a NetCDF file, of the values',
      fallback: 'the one that is named as the metric',
    },
    unit: { value: 'U', meaning: 'unit of the values', fallback: "what the file says, or the metric's" },
    station: {
      value: 'NAME',
      meaning: 'name of its one station',
      fallback: 'what the file says, or the place',
    },
    stations: {
      value: 'S.csv',
      meaning: 'stations with id, lat and lng, for a file that names stations, in a column or a column each',
    },
    time: {
      value: 'COL',
      meaning: 'column of the times',
      fallback: 'date, datetime, time, year and the like',
    },
    timezone: {
      value: 'ZONE',
      meaning: 'of times without an offset: UTC, +05:30, Europe/Dublin',
      fallback: 'UTC',
    },
    'day-of-year': {
      value: 'COL',
      meaning: 'column of the day of the year that a line was observed on, where its date begins a composite',
    },
    'date-order': {
      value: 'dmy|mdy',
      meaning: 'of dates such as 03/04/2020',
      fallback: 'as the file makes plain',
    },
    scale: { value: 'S', meaning: 'value = written * scale + offset, before the unit', fallback: '1' },
    offset: { value: 'O', meaning: 'see scale', fallback: '0' },
    nodata: {
      value: 'N',
      meaning: 'number that means nothing was observed, besides -999, -9999 and the like',
    },
    mask: {
      value: 'COL',
      meaning: 'column of quality: lines where it is not 0 are gaps',
    },
    'mask-encoding': {
      value: 'NAME',
      meaning:
        'its codes are those of a quality band, as for ingest stack: modis-vi-summary, landsat-ard, ...',
    },
    'drop-outside': { meaning: 'leave out values that the metric cannot have, instead of refusing the file' },
    'keep-doubtful': { meaning: 'store rain that quality control does not believe' },
    environment: ENVIRONMENT,
    account: { value: 'NAME', meaning: 'makes the collection private to one account' },
    'no-wait': { meaning: 'leave the search for anomalies to the running service' },
  },
  async run(context, given) {
    const deps = await context.open();
    const account = text(given, 'account');
    const input = inputOf(given, account === undefined ? null : await accountId(deps.storage, account));
    let told = 0;
    const report = await ingestPoints(deps, input, (observations) => {
      const now = deps.clock.now();
      if (now - told < PROGRESS_EVERY_MS) return;
      told = now;
      context.note(`observations: ${observations}`);
    });
    const { collection, stations, gaps, doubtful } = report;
    if (!isKnownMetric(collection.metric)) context.note(unknownMetric(collection.metric));
    const derived = await deriveSeries(deps, collection);
    if (given.options['no-wait'] !== true) {
      const areas = new Map<string, Parameters<typeof refreshAnomalies>[1]>();
      for (const { metric } of [collection, ...derived.map((feed) => feed.collection)])
        for (const area of await areasSpokenFor(deps.storage, { ...collection, metric }, stations))
          areas.set(area.id, area);
      for (const [id, owner] of areas) await refreshAnomalies(deps, owner, id);
      deps.wakeDelivery();
    }
    const left = [
      gaps.empty > 0 ? `${gaps.empty} empty${given.options['mask'] === undefined ? '' : ' or masked'}` : '',
      gaps.coded > 0 ? `${gaps.coded} coded as missing` : '',
      gaps.outside > 0 ? `${gaps.outside} out of range` : '',
    ].filter((words) => words !== '');
    context.print(
      {
        collection: collection.id,
        name: collection.name,
        metric: collection.metric,
        form: report.form,
        ...(report.column !== undefined && { column: report.column }),
        unit: report.unit,
        stations: stations.length,
        observations: report.observations,
        added: report.added,
        range: report.range,
        gaps,
        doubtful: {
          count: doubtful.count,
          first: doubtful.first.map(({ timeMs, ...doubt }) => ({
            t: new Date(timeMs).toISOString(),
            ...doubt,
          })),
        },
        derived: derived.map((feed) => ({
          metric: feed.collection.metric,
          collection: feed.collection.id,
          stations: feed.stations,
          added: feed.added,
        })),
      },
      [
        `Read as ${report.form}, ${report.column === undefined ? 'values' : `column ${report.column}`} in ${report.unit}: from ${report.range[0]} to ${report.range[1]} ${collection.unit}.`,
        `${report.added} of ${report.observations} observations at ${stations.length} ${stations.length === 1 ? 'station' : 'stations'} were new or corrected` +
          `${left.length === 0 ? '' : `; gaps: ${left.join(', ')}`}.`,
        ...(doubtful.count === 0 ? [] : [`Quality control left out ${doubtful.count}:`]),
        ...doubtful.first.map(
          ({ station, timeMs, value, reason }) =>
            `  ${station} ${new Date(timeMs).toISOString()} ${value} ${collection.unit}: ${reason}`,
        ),
        ...derived.map((feed) => `Computed ${feed.collection.metric}: ${feed.added} new or changed.`),
      ].join('\n'),
    );
  },
};

/** Said to whom means river_flow and writes discharge, who would wait for anomalies in vain. */
function unknownMetric(metric: string): string {
  const known = KNOWN_METRICS.map(({ key }) => key).join(', ');
  return `${metric} is no known metric: it gives series, and no anomalies. Known are ${known}.`;
}

function inputOf(given: Given, owner: string | null): PointsIngest {
  const order = text(given, 'date-order');
  if (order !== undefined && order !== 'dmy' && order !== 'mdy')
    throw new Misuse(`--date-order: expected dmy or mdy, got ${order}`);
  return {
    collection: required(given, 'collection'),
    environment: environment(given),
    accountId: owner,
    file: {
      path: required(given, 'file'),
      metric: required(given, 'metric'),
      column: text(given, 'column'),
      timeColumn: text(given, 'time'),
      station: text(given, 'station'),
      lat: number(given, 'lat'),
      lng: number(given, 'lng'),
      stationsPath: text(given, 'stations'),
      timezone: text(given, 'timezone'),
      dateOrder: order,
      dayColumn: text(given, 'day-of-year'),
      maskColumn: text(given, 'mask'),
      maskEncoding: text(given, 'mask-encoding'),
    },
    unit: text(given, 'unit'),
    scale: number(given, 'scale') ?? 1,
    offset: number(given, 'offset') ?? 0,
    nodata: number(given, 'nodata'),
    dropOutside: given.options['drop-outside'] === true,
    keepDoubtful: given.options['keep-doubtful'] === true,
  };
}

import { type DerivedPoints, deriveSeries } from '../../app/stations/derive-series.ts';
import { ingestPoints, type PointsIngest, type PointsReport } from '../../app/stations/ingest-points.ts';
import { KNOWN_METRICS } from '../../app/series/known-metrics.ts';
import { isKnownMetric } from '../../app/series/metrics.ts';
import { withFile } from '../../app/stations/schedule/fetched-file.ts';
import { subscribedAreasNear } from '../../app/stations/queue-anomaly-refresh.ts';
import { regroupAll } from '../../app/incidents/regroup-incidents.ts';
import { refreshAnomalies } from '../../app/anomalies/refresh-anomalies.ts';
import { accountOption, PRIVATE_TO, readersOf } from '../account-option.ts';
import {
  type CliDeps,
  ENVIRONMENT,
  environment,
  Misuse,
  number,
  required,
  text,
  type Command,
  type Given,
} from '../command.ts';
import { progressNotes } from '../progress.ts';

export const ingestPointsCommand: Command = {
  name: 'ingest points',
  summary:
    'Ingest series at stations: weather, rivers, GNSS, InSAR points (CSV variants, .pos, .tenv3, Parquet, NetCDF, HDF5, Zarr)',
  options: {
    collection: {
      value: 'NAME',
      meaning: 'collection to ingest into, created when it is new',
      required: true,
    },
    metric: { value: 'KEY', meaning: 'metric of the values, such as temperature', required: true },
    file: {
      value: 'F.csv',
      meaning: 'the file, or an https address that gives it; its format is detected and printed',
      required: true,
    },
    lat: {
      value: 'Y',
      meaning: 'latitude of its only station, or of the grid cell to read [degrees]',
      fallback: 'columns of the file, or --stations',
    },
    lng: { value: 'X', meaning: 'see lat', fallback: 'columns of the file, or --stations' },
    column: {
      value: 'COL',
      meaning: 'column, or variable of a file of arrays, of the values',
      fallback: 'the one that is named as the metric',
    },
    unit: { value: 'U', meaning: 'unit of the values', fallback: "what the file says, or the metric's" },
    station: {
      value: 'NAME',
      meaning: 'name of its only station',
      fallback: 'what the file says, or the place',
    },
    stations: {
      value: 'S.csv',
      meaning:
        'stations with id, lat and lng, for a file that names stations in a column or has a column for each',
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
      meaning:
        'column of the day of the year on which a line was observed, when its date is the start of a composite',
    },
    'date-order': {
      value: 'dmy|mdy',
      meaning: 'of dates such as 03/04/2020',
      fallback: 'inferred from the file',
    },
    scale: { value: 'S', meaning: 'value = written * scale + offset, before the unit', fallback: '1' },
    offset: { value: 'O', meaning: 'see scale', fallback: '0' },
    nodata: {
      value: 'N',
      meaning: 'number that means nothing was observed, in addition to -999, -9999 and the like',
    },
    mask: {
      value: 'COL',
      meaning: 'column of quality: lines where it is not 0 are gaps',
    },
    'mask-encoding': {
      value: 'NAME',
      meaning:
        'the codes of that column are those of a quality band, as for ingest stack: modis-vi-summary, landsat-ard, ...',
    },
    'drop-outside': { meaning: 'leave out values that the metric cannot have, instead of refusing the file' },
    'keep-doubtful': { meaning: 'store rain that quality control rejects' },
    environment: ENVIRONMENT,
    account: PRIVATE_TO,
    'no-wait': { meaning: 'leave the search for anomalies to the running service' },
  },
  async run(context, given) {
    const deps = await context.open();
    const input = inputOf(given, await accountOption(deps.storage, given));
    const progress = progressNotes(context, deps.clock)('observations');
    const report = await withFile(deps, input.file.path, (path) =>
      ingestPoints(deps, { ...input, file: { ...input.file, path } }, progress),
    );
    const { metric } = report.collection;
    if (!isKnownMetric(metric)) context.note(unknownMetric(metric));
    const derived = await deriveSeries(deps, report.collection);
    if (given.options['no-wait'] !== true) await findAnomalies(deps, report, derived);
    context.print(
      { ...presentReport(report, derived), account: text(given, 'account') ?? null },
      `${reportText(report, derived, input)}\n${readersOf(given)}`,
    );
  },
};

/** Refreshes the anomalies of every subscribed area near the ingested stations. */
async function findAnomalies(
  deps: CliDeps,
  { collection, stations }: PointsReport,
  derived: readonly DerivedPoints[],
): Promise<void> {
  const areas = new Map<string, Parameters<typeof refreshAnomalies>[1]>();
  for (const { metric } of [collection, ...derived.map((series) => series.collection)])
    for (const area of await subscribedAreasNear(deps.storage, { ...collection, metric }, stations))
      areas.set(area.id, area);
  for (const [id, owner] of areas) await refreshAnomalies(deps, owner, id);
  await regroupAll(deps.storage);
  deps.wakeDelivery();
}

/** Returns the object that `--json` prints. */
function presentReport(report: PointsReport, derived: readonly DerivedPoints[]) {
  const { collection, doubtful } = report;
  return {
    collection: collection.id,
    name: collection.name,
    metric: collection.metric,
    form: report.form,
    ...(report.column !== undefined && { column: report.column }),
    unit: report.unit,
    stations: report.stations.length,
    observations: report.observations,
    added: report.added,
    range: report.range,
    gaps: report.gaps,
    doubtful: {
      count: doubtful.count,
      first: doubtful.first.map(({ timeMs, ...doubt }) => ({ t: new Date(timeMs).toISOString(), ...doubt })),
    },
    derived: derived.map((series) => ({
      metric: series.collection.metric,
      collection: series.collection.id,
      stations: series.stations,
      added: series.added,
    })),
  };
}

function reportText(report: PointsReport, derived: readonly DerivedPoints[], { file }: PointsIngest): string {
  const { collection, stations, gaps, doubtful, range } = report;
  const values = report.column === undefined ? 'values' : `column ${report.column}`;
  const places = `${stations.length} ${stations.length === 1 ? 'station' : 'stations'}`;
  const gapCounts = [
    gaps.empty > 0 ? `${gaps.empty} empty${file.maskColumn === undefined ? '' : ' or masked'}` : '',
    gaps.coded > 0 ? `${gaps.coded} coded as missing` : '',
    gaps.outside > 0 ? `${gaps.outside} out of range` : '',
  ].filter((count) => count !== '');
  const gapText = gapCounts.length === 0 ? '' : `; gaps: ${gapCounts.join(', ')}`;
  return [
    `Read as ${report.form}, ${values} in ${report.unit}: from ${range[0]} to ${range[1]} ${collection.unit}.`,
    `${report.added} of ${report.observations} observations at ${places} were new or corrected${gapText}.`,
    ...(doubtful.count === 0 ? [] : [`Quality control left out ${doubtful.count}:`]),
    ...doubtful.first.map(
      ({ station, timeMs, value, reason }) =>
        `  ${station} ${new Date(timeMs).toISOString()} ${value} ${collection.unit}: ${reason}`,
    ),
    ...derived.map((series) => `Computed ${series.collection.metric}: ${series.added} new or changed.`),
  ].join('\n');
}

/**
 * Warns about an unknown metric. A user who writes discharge instead of river_flow would otherwise wait in vain for
 * anomalies.
 */
function unknownMetric(metric: string): string {
  const known = KNOWN_METRICS.map(({ key }) => key).join(', ');
  return `${metric} is not a known metric: it gives series, but no anomalies. Known are ${known}.`;
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

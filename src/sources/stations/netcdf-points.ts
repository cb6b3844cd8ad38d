import { InvalidInput } from '../../base/errors.ts';
import type { PointBatch, PointFile, PointsRequest } from '../../app/stations/points-reader.ts';
import {
  asWritten,
  coordinate,
  textOf,
  unitOf,
  unpacker,
  valueVariable,
} from '../../formats/netcdf/cf-conventions.ts';
import { type ArrayFile, type ArrayVariable, rowLength } from '../../formats/arrays/array-file.ts';
import { openZarr } from '../../formats/zarr/file.ts';
import type { ZarrStore } from '../../formats/zarr/store.ts';
import { openArrays } from '../../formats/arrays/open-arrays.ts';
import { type GridAxes, gridAxes } from '../../formats/netcdf/horizontal-grid.ts';
import { BatchBuilder } from './batch-builder.ts';
import { cellAt } from './netcdf-cell.ts';
import { manyStations, MOST_STATIONS, oneStation } from './netcdf-stations.ts';
import { timesOf } from '../../formats/netcdf/time.ts';
import { StationRegister } from './station-register.ts';

const MOST_TIMES = 1 << 24; // maximum number of times in memory, 128 MB: 1,900 years of hourly values
const BATCH = 1 << 17; // maximum number of observations in a batch

/** A file in one of the known layouts: its stations, and a reader of its observations. */
interface Layout {
  readonly form: string;
  readonly stations: StationRegister;
  batches(): AsyncIterable<PointBatch>;
}

/** An open file, the request, and the variable of values. */
interface Opened {
  readonly file: ArrayFile;
  readonly request: PointsRequest;
  readonly values: ArrayVariable;
}

/**
 * Opens series at stations in a NetCDF classic file. The dimensions of the values are time, or stations and time in
 * either order, or observations (the discrete sampling geometries of CF 1.12, chapter 9). If the values are on a grid,
 * the only series is that of the cell at the requested place.
 * @param remote the Zarr to read in place of a file
 * @throws InvalidInput naming what is missing
 */
export async function openNetcdfPoints(request: PointsRequest, remote?: ZarrStore): Promise<PointFile> {
  refuseWhatIsOfTables(request);
  const opened = (): Promise<ArrayFile> =>
    remote === undefined ? openArrays(request.path) : openZarr(remote);
  const file = await opened();
  try {
    const values = valueVariable(file, {
      metric: request.metric,
      variable: request.column,
      option: 'column',
      suits: () => true,
    });
    const { form, stations } = await layoutOf({ file, request, values });
    return {
      name: file.name,
      form,
      column: values.name,
      unit: unitOf(values),
      counted: 'value',
      stations: stations.list,
      async *batches() {
        const again = await opened();
        try {
          const same = again.find(values.name)!;
          yield* (await layoutOf({ file: again, request, values: same })).batches();
        } finally {
          await again.close();
        }
      },
    };
  } finally {
    await file.close();
  }
}

/** Refuses options for tables, which would have no effect: a NetCDF file describes its own times and stations. */
function refuseWhatIsOfTables({ timeColumn, timezone, dateOrder, stationsPath, path }: PointsRequest): void {
  const options = { time: timeColumn, timezone, 'date-order': dateOrder, stations: stationsPath };
  for (const [option, value] of Object.entries(options))
    if (value !== undefined)
      throw new InvalidInput(
        `--${option}: expected with a table; ${path} is NetCDF, which contains this information`,
        {
          param: option,
        },
      );
}

async function layoutOf(given: Opened): Promise<Layout> {
  const { file } = given;
  const timed = (name: string): ArrayVariable | undefined => coordinate(file, 'time', [name]);
  const values = file.trimmed(given.values, (name) => timed(name) !== undefined);
  const opened = { ...given, values };
  const long = values.dimensions.flatMap(({ name, size }) =>
    size !== 1 || timed(name) !== undefined ? [name] : [],
  );
  const time = long.map(timed).find((found) => found !== undefined);
  const along = time?.dimensions[0]!.name;
  const [first, second, third] = long;
  if (time !== undefined && long.length === 1) return await alongOne(opened, time);
  const own = coordinate(file, 'time', long);
  if (long.length === 2 && time !== undefined)
    return await alongTwo(opened, time, along === first ? second! : first!);
  if (long.length === 2 && own !== undefined) return await alongTwo(opened, own, first!);
  if (time !== undefined && along === first && third !== undefined && long.length === 3) {
    const axes = gridAxes(file, values);
    if (axes !== undefined) return await ofCell(opened, time, axes);
  }
  throw new InvalidInput(
    `${file.name}: ${values.name} runs along ${given.values.dimensions.map(({ name, size }) => `${name} (${size})`).join(', ')}; ` +
      'expected a time, a time and stations, or a time, latitudes and longitudes (or y and x of a projection), each with a coordinate variable',
    { param: 'column' },
  );
}

/**
 * Layout of values with one dimension: the series of one station, or observations of many stations. For many stations
 * the file contains the station of each observation, or the number of observations of each station.
 */
async function alongOne(opened: Opened, time: ArrayVariable): Promise<Layout> {
  const { file, values } = opened;
  const dimension = time.dimensions[0]!.name;
  const times = timesOf(file, time, await file.readAll(time, MOST_TIMES));
  const index = file.variables.find(
    (one) => one.dimensions[0]?.name === dimension && one.attributes.has('instance_dimension'),
  );
  const counts = file.variables.find((one) => textOf(one.attributes, 'sample_dimension') === dimension);
  const instances =
    index === undefined ? counts?.dimensions[0]?.name : textOf(index.attributes, 'instance_dimension');
  const stations = new StationRegister();
  const places =
    instances === undefined
      ? [await oneStation(opened, stations)]
      : await manyStations(opened, stations, instances);
  let ofRow: (row: number) => number = () => places[0]!;
  if (index !== undefined) {
    const whose = await file.readAll(index, MOST_TIMES);
    ofRow = (row) => placeAt(file, places, whose[row]!, index.name);
  } else if (counts !== undefined) {
    const ends = await file.readAll(counts, MOST_STATIONS);
    for (let i = 1; i < ends.length; i++) ends[i]! += ends[i - 1]!;
    let at = 0;
    ofRow = (row) => {
      if (row < (ends[at - 1] ?? 0)) at = 0;
      while (row >= ends[at]!) at++;
      return placeAt(file, places, at, counts.name);
    };
  }
  return {
    form: `${file.form}, ${values.name} ${instances === undefined ? 'of one station' : `a row an observation of ${places.length} stations`}`,
    stations,
    batches: () => rows(opened, { length: 1, place: (row) => ofRow(row), timeMs: (row) => times[row]! }),
  };
}

function placeAt(file: ArrayFile, places: readonly number[], at: number, variable: string): number {
  const place = places[at];
  if (place !== undefined) return place;
  throw new InvalidInput(
    `${file.name}, variable ${variable}: station ${at} does not exist; the file has ${places.length} stations`,
    {
      param: 'file',
    },
  );
}

/** Layout of values with the dimensions stations and time, in either order. */
async function alongTwo(opened: Opened, time: ArrayVariable, dimension: string): Promise<Layout> {
  const { file, values } = opened;
  const stations = new StationRegister();
  const places = await manyStations(opened, stations, dimension);
  const isOwn = time.dimensions.length === 2;
  const times = isOwn ? undefined : timesOf(file, time, await file.readAll(time, MOST_TIMES));
  const isTimeFirst = values.dimensions[0]!.name !== dimension;
  const length = isTimeFirst ? places.length : rowLength(values);
  return {
    form: `${file.form}, ${values.name} of ${places.length} stations, ${isTimeFirst ? 'a row a time' : 'a row a station'}`,
    stations,
    batches: () =>
      rows(opened, {
        length,
        place: (row, i) => places[isTimeFirst ? i : row]!,
        timeMs: (row, i) => times?.[isTimeFirst ? row : i] ?? Number.NaN,
        ...(isOwn && { time }),
      }),
  };
}

/** Layout of values on a grid: the only series is that of the cell that contains the requested place. */
async function ofCell(opened: Opened, time: ArrayVariable, axes: GridAxes): Promise<Layout> {
  const { file, request, values } = opened;
  const { lat, lng } = request;
  if (lat === undefined || lng === undefined)
    throw new InvalidInput(
      `${file.name} is a grid: take it in whole with ingest stack, or give --lat and --lng for the cell of one place`,
      { param: 'lat' },
    );
  const cell = await cellAt(file, values, axes, { lat, lng });
  const times = timesOf(file, time, await file.readAll(time, MOST_TIMES));
  const stations = new StationRegister();
  const place = stations.add(request.station ?? `${cell.lat},${cell.lng}`, cell.lng, cell.lat);
  const { start } = cell;
  return {
    form: `${file.form}, the cell of ${values.name} at ${cell.lat}, ${cell.lng}`,
    stations,
    batches: () => rows(opened, { length: 1, start, place: () => place, timeMs: (at) => times[at]! }),
  };
}

/** How observations are read from the rows of a variable. */
interface Rows {
  /** Number of observations in a row. The first one has the index `start`, by default 0. */
  readonly length: number;
  readonly start?: number;
  readonly place: (row: number, i: number) => number;
  readonly timeMs: (row: number, i: number) => number;
  /** A variable with a time for each value; absent if `timeMs` gives the times. */
  readonly time?: ArrayVariable;
}

async function* rows(
  { file, values }: Opened,
  { length, start = 0, place, timeMs, time }: Rows,
): AsyncGenerator<PointBatch> {
  const unpack = unpacker(values);
  const total = values.dimensions[0]!.size;
  const step = Math.max(1, Math.floor(BATCH / length));
  for (let row = 0; row < total; row += step) {
    const range = [row, Math.min(total, row + step), { start, count: length }] as const;
    const read = unpack(await file.read(values, ...range));
    const own = time === undefined ? undefined : timesOf(file, time, await file.read(time, ...range));
    const batch = new BatchBuilder();
    for (let k = 0; k < read.length; k++) {
      const [at, i] = [row + Math.floor(k / length), k % length];
      const ms = own?.[k] ?? timeMs(at, i);
      const value = asWritten(read[k]!, values);
      // Padding of shorter series has neither time nor value.
      if (Number.isNaN(ms) && Number.isNaN(value)) continue;
      if (Number.isNaN(ms))
        throw new InvalidInput(
          `${file.name}, variable ${values.name}: value ${at * length + i + 1} has no time`,
          {
            param: 'file',
          },
        );
      batch.add(place(at, i), ms, value, at * length + i + 1);
    }
    yield batch;
  }
}

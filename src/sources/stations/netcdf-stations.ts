import { InvalidInput } from '../../base/errors.ts';
import type { PointsRequest } from '../../app/stations/points-reader.ts';
import { asWritten, axisOf, coordinate, textOf } from '../../formats/netcdf/cf-conventions.ts';
import type { ArrayFile, ArrayVariable } from '../../formats/arrays/array-file.ts';
import type { StationRegister } from './station-register.ts';
import { KEY_NAMES } from './station-table.ts';

/** Maximum number of stations of one file. */
export const MOST_STATIONS = 1 << 20;
const LONGEST_NAME = 64; // maximum length of the name of a station [characters]
const NAMES = ['station_name', 'name', ...KEY_NAMES]; // names of variables that contain names of stations

interface OfStations {
  readonly file: ArrayFile;
  readonly request: PointsRequest;
}

/** Registers the single station of a file, from the file or the request. @returns its index in the register */
export async function oneStation({ request, file }: OfStations, stations: StationRegister): Promise<number> {
  const isSingle = ({ dimensions, type }: ArrayVariable): boolean =>
    dimensions.slice(0, type === 'char' ? -1 : undefined).every(({ size }) => size === 1);
  const single = file.variables.filter(isSingle);
  const degrees = async (axis: 'lat' | 'lng'): Promise<number | undefined> => {
    const found = single.find((one) => axisOf(one) === axis);
    return found && asWritten((await file.readAll(found, 1))[0]!, found);
  };
  const [lng, lat] = [request.lng ?? (await degrees('lng')), request.lat ?? (await degrees('lat'))];
  if (lng === undefined || lat === undefined)
    throw new InvalidInput(`${file.name} does not say where its station stands: give --lat and --lng`, {
      param: 'lat',
    });
  const [name] = (await namesAmong(file, single)) ?? [];
  return stations.add(request.station ?? name ?? `${lat},${lng}`, lng, lat);
}

/** Registers the stations along a dimension. @returns the index of each station in the register */
export async function manyStations(
  { file, request }: OfStations,
  stations: StationRegister,
  dimension: string,
): Promise<readonly number[]> {
  const [latitudes, longitudes] = [
    coordinate(file, 'lat', [dimension]),
    coordinate(file, 'lng', [dimension]),
  ];
  if (latitudes === undefined || longitudes === undefined)
    throw new InvalidInput(
      `${file.name} does not say where the stations along ${dimension} stand: no latitude and longitude run along it`,
      { param: 'file' },
    );
  const [lats, lngs] = [
    await file.readAll(latitudes, MOST_STATIONS),
    await file.readAll(longitudes, MOST_STATIONS),
  ];
  const along = file.variables.filter(
    ({ dimensions, type }) =>
      dimensions[0]?.name === dimension && dimensions.length === (type === 'char' ? 2 : 1),
  );
  const keys = await namesAmong(file, along);
  if (request.station !== undefined)
    throw new InvalidInput(`--station: ${file.name} has ${lats.length} stations, which name themselves`, {
      param: 'station',
    });
  return Array.from(lats, (y, i) => {
    const [lat, lng] = [asWritten(y, latitudes), asWritten(lngs[i]!, longitudes)];
    const key = keys?.[i] ?? `${lat},${lng}`;
    try {
      if (stations.find(key) !== undefined) throw new RangeError(`station ${key} stands twice`);
      return stations.add(key, lng, lat);
    } catch (error) {
      throw new InvalidInput(`${file.name}: ${(error as Error).message}`, { param: 'file', cause: error });
    }
  });
}

/** Names of stations; undefined when no variable contains them. */
async function namesAmong(
  file: ArrayFile,
  variables: readonly ArrayVariable[],
): Promise<readonly string[] | undefined> {
  const found =
    variables.find(({ attributes }) => textOf(attributes, 'cf_role') === 'timeseries_id') ??
    NAMES.map((known) =>
      variables.find(({ name }) => name.slice(name.lastIndexOf('/') + 1).toLowerCase() === known),
    ).find((variable) => variable !== undefined);
  if (found === undefined) return undefined;
  const most = MOST_STATIONS * LONGEST_NAME;
  return found.type === 'char' || found.type === 'string'
    ? await file.readTexts(found, most)
    : Array.from(await file.readAll(found, most), String);
}

import { KM_PER_DEGREE } from '../../../geo/earth.ts';
import type { Grid } from '../../../geo/grid.ts';
import { wrapLongitude } from '../../../geo/position.ts';
import { gevReturnLevel } from '../../../numerics/gev.ts';
import {
  LEAST_YEARS,
  PERIODS_PER_YEAR,
  regionalGev,
  regionalMoments,
  regionalShape,
  regionalSpread,
} from '../../../risk/storm/gust-climate.ts';
import { sampleLMoments } from '../../../numerics/l-moments.ts';
import { GUST_RETURN_PERIODS } from './derive-gust.ts';
import { InvalidInput } from '../../../base/errors.ts';
import type { GustRecord, GustRecordReader } from './gust-records-reader.ts';
import { fileName } from '../file-name.ts';
import type { VersionRequest } from '../layer-checks.ts';
import { type AddedLayer, addMadeLayer, type LayerDeps } from '../add-layer.ts';

/** Input of a derivation of gusts from stations, and the version under which the layers are installed. */
export interface GustRecordsRequest extends VersionRequest {
  /** File of gusts measured at stations. */
  readonly path: string;
  /** Table of station positions, when the records do not contain them. */
  readonly stationsPath?: string | undefined;
  /** Factor from the unit of the file to m/s. */
  readonly scale?: number | undefined;
}

/** Result of a derivation of gusts from stations. */
export interface DerivedGust {
  readonly added: readonly AddedLayer[];
  readonly stations: number;
  /**
   * Median of the 2-year gusts of all stations [m/s]. A low value indicates that the file contains hourly or daily
   * means, not gusts.
   */
  readonly usualMps: number;
}

export interface GustRecordsDeps extends LayerDeps {
  readonly gustRecords: GustRecordReader;
}

/** Cell size [degrees]; cell centres are at multiples of the cell size. */
const STEP = 0.05;
/**
 * Radius of influence of a station [km] (own choice: 10-year gusts of Dutch stations 40 to 80 km apart differ
 * by a tenth).
 */
const REACH_KM = 75;
/** Lower bound for distances [km]: half a cell. It replaces shorter distances in weights and resolutions. */
const SAME_PLACE_KM = 2.5;
/** Maximum number of cells: about a continent. */
const MOST_CELLS = 4_000_000;

interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** Gust return levels of a station. */
export interface GustSite extends Place {
  /** Return levels [m/s], one for each of `GUST_RETURN_PERIODS`; NaN when the record is too short for the period. */
  readonly levels: readonly number[];
}

/**
 * Derives gust return levels from the records of stations and installs them as layers. At each station the levels
 * come from L-moments whose spread and shape are shrunk towards those of all stations. Between stations the levels
 * are geometric means weighted by inverse squared distance; cells without a station within 75 km are nodata.
 * The resolution on the card is the mean distance to the nearest station, because no detail between stations is
 * known.
 * @throws InvalidInput when the records cannot be used
 */
export async function deriveGustRecords(
  deps: GustRecordsDeps,
  request: GustRecordsRequest,
): Promise<DerivedGust> {
  const scale = request.scale ?? 1;
  if (!(scale > 0 && scale < Infinity))
    throw new InvalidInput(`scale ${scale}: expected a number above 0`, { param: 'scale' });
  const name = fileName(request.path);
  const sites = sitesOf(await deps.gustRecords.readRecords(request.path, request.stationsPath), scale, name);
  const grid = gridOf(sites, name);
  const shared = {
    layer: 'gust',
    version: request.version,
    date: request.date,
    licence: request.licence,
    source: request.source ?? `GEV of yearly maxima at ${sites.length} stations from ${name}`,
    from: name,
    resolutionM: Math.round(1000 * spacingKm(sites)),
    replace: request.replace,
    environment: request.environment,
  };
  const added: AddedLayer[] = [];
  for (const [i, samples] of rastersOf(sites, grid).entries()) {
    if (samples.every(Number.isNaN)) continue;
    const returnPeriodYears = GUST_RETURN_PERIODS[i]!;
    added.push(await addMadeLayer(deps, { ...shared, returnPeriodYears, raster: { grid, samples } }));
  }
  const usual = sites.map(({ levels }) => levels[0]!).toSorted((a, b) => a - b);
  return { added, stations: sites.length, usualMps: usual[usual.length >> 1]! };
}

function sitesOf(stations: readonly GustRecord[], scale: number, name: string): readonly GustSite[] {
  const usable = stations
    .filter(({ maxima }) => maxima.length >= LEAST_YEARS && maxima.some((gust) => gust !== maxima[0]))
    .map((station) => ({ ...station, maxima: station.maxima.map((gust) => scale * gust) }));
  if (usable.length === 0) {
    throw new InvalidInput(
      `${name} has ${stations.length} stations, none with ${LEAST_YEARS} whole years of gusts that differ`,
      { param: 'records' },
    );
  }
  return gustSites(usable);
}

/**
 * Computes the return levels of stations. Spread and shape at each station are shrunk towards the spread and shape of
 * all stations together.
 * @param stations each with at least ten positive yearly maxima [m/s], not all equal
 */
export function gustSites(stations: readonly GustRecord[]): readonly GustSite[] {
  const records = stations.map(({ maxima }) => maxima);
  const [shape, spread] = [regionalShape(records), regionalSpread(records)];
  return stations.map(({ lat, lng, maxima }) => {
    const moments = regionalMoments(sampleLMoments(maxima), maxima.length, spread);
    const gev = regionalGev(moments, maxima.length, shape);
    const levels = GUST_RETURN_PERIODS.map((T) =>
      T <= PERIODS_PER_YEAR * maxima.length ? gevReturnLevel(gev, T) : Number.NaN,
    );
    return { lat, lng, levels };
  });
}

function distanceKm(a: Place, b: Place): number {
  const across = wrapLongitude(a.lng - b.lng) * Math.cos((((a.lat + b.lat) / 2) * Math.PI) / 180);
  return KM_PER_DEGREE * Math.hypot(across, a.lat - b.lat);
}

/**
 * Returns the mean distance from a station to the nearest other station [km]. Distances above REACH_KM count as
 * REACH_KM. The mean is at least SAME_PLACE_KM.
 */
export function spacingKm(sites: readonly Place[]): number {
  const ways = sites.map((site) =>
    sites.reduce(
      (least, other) => (other === site ? least : Math.min(least, distanceKm(site, other))),
      REACH_KM,
    ),
  );
  return Math.max(SAME_PLACE_KM, ways.reduce((sum, way) => sum + way, 0) / ways.length);
}

/** Smallest grid that contains all cells within reach of a station. It may cross the antimeridian. */
function gridOf(sites: readonly GustSite[], name: string): Grid {
  const first = sites[0]!.lng;
  const margin = REACH_KM / KM_PER_DEGREE;
  const lats = sites.map(({ lat }) => lat);
  const widest = Math.max(...lats.map(Math.abs));
  // Near a pole, the reach in longitude is limited to 45 degrees each way.
  const marginLng = Math.min(45, margin / Math.cos((Math.min(89, widest) * Math.PI) / 180));
  const lngs = sites.map(({ lng }) => first + wrapLongitude(lng - first));
  const west = Math.floor((Math.min(...lngs) - marginLng) / STEP);
  const east = Math.ceil((Math.max(...lngs) + marginLng) / STEP);
  const south = Math.max(Math.ceil(-90 / STEP), Math.floor((Math.min(...lats) - margin) / STEP));
  const north = Math.min(Math.floor(90 / STEP), Math.ceil((Math.max(...lats) + margin) / STEP));
  const [width, height] = [Math.min(360 / STEP, east - west + 1), north - south + 1];
  if (width * height > MOST_CELLS) {
    throw new InvalidInput(`the stations of ${name} span ${width} x ${height} cells: derive them in parts`, {
      param: 'records',
    });
  }
  return {
    width,
    height,
    crs: 'EPSG:4326',
    proj4: '+proj=longlat +datum=WGS84 +no_defs',
    transform: [(west - 0.5) * STEP, STEP, 0, (north + 0.5) * STEP, 0, -STEP],
  };
}

/** Rasters of return levels, one for each of `GUST_RETURN_PERIODS`. */
function rastersOf(sites: readonly GustSite[], grid: Grid): readonly Float32Array[] {
  const { width, height, transform } = grid;
  const rasters = GUST_RETURN_PERIODS.map(() => new Float32Array(width * height));
  const levels = new Float64Array(GUST_RETURN_PERIODS.length);
  for (let cell = 0; cell < width * height; cell++) {
    const lat = transform[3] + (Math.floor(cell / width) + 0.5) * transform[5];
    const lng = wrapLongitude(transform[0] + ((cell % width) + 0.5) * transform[1]);
    levelsBetween(sites, lat, lng, levels);
    for (let i = 0; i < levels.length; i++) rasters[i]![cell] = levels[i]!;
  }
  return rasters;
}

/**
 * Interpolates return levels [m/s] at a place: geometric mean of the stations within 75 km, weighted by inverse
 * squared distance.
 * @param into receives one level for each of `GUST_RETURN_PERIODS`; NaN when no station within 75 km has this level
 */
export function levelsBetween(
  sites: readonly GustSite[],
  lat: number,
  lng: number,
  into: Float64Array,
): void {
  const weights = new Float64Array(into.length);
  into.fill(0);
  for (const site of sites) {
    if (Math.abs(site.lat - lat) * KM_PER_DEGREE > REACH_KM) continue;
    const km = Math.max(SAME_PLACE_KM, distanceKm(site, { lat, lng }));
    if (km > REACH_KM) continue;
    for (let i = 0; i < into.length; i++) {
      if (!(site.levels[i]! > 0)) continue;
      into[i]! += Math.log(site.levels[i]!) / km ** 2;
      weights[i]! += 1 / km ** 2;
    }
  }
  for (let i = 0; i < into.length; i++)
    into[i] = weights[i]! > 0 ? Math.exp(into[i]! / weights[i]!) : Number.NaN;
}

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
import { fileName } from '../file-name.ts';
import type { VersionRequest } from '../layer-checks.ts';
import { type AddedLayer, addMadeLayer, type LayerDeps } from '../add-layer.ts';
import type { PointsReader } from '../../stations/points-reader.ts';
import { type PlausibleMaxima, refuseDoubtful } from './doubtful-records.ts';
import { distanceKm, eachCell, influenceAreas, type Place } from './points-of-influence.ts';
import { FULL_YEAR, readYearlyMaxima, type RecordsRequest, spanOf } from './yearly-maxima.ts';

/** Input of a derivation of gusts from stations, and the version under which the layers are installed. */
export interface GustRecordsRequest extends VersionRequest, RecordsRequest {}

/** Result of a derivation of gusts from stations. */
export interface DerivedGust {
  readonly added: readonly AddedLayer[];
  readonly stations: number;
  /** Stations that are left out, with the reason. */
  readonly leftOut: readonly string[];
  /** What is implausible about the records that are used nevertheless. */
  readonly doubts: readonly string[];
  /** Years that count at all stations together, and years that do not because of gaps. */
  readonly years: number;
  readonly droppedYears: number;
  /**
   * Median of the 2-year gusts of all stations [m/s]. A low value indicates that the file contains hourly or daily
   * means, not gusts.
   */
  readonly usualMps: number;
}

/** Yearly maximum gusts of one station. */
export interface GustRecord extends Place {
  readonly station: string;
  /** Highest gust of each complete year [m/s], in any order. */
  readonly maxima: readonly number[];
}

export interface GustRecordsDeps extends LayerDeps {
  readonly points: PointsReader;
}

/** Other names of the column of gusts, the preferred one first. */
const COLUMNS = ['max_gust', 'wind_gust', 'windgust', 'value'] as const;
/**
 * Plausible yearly maximum gusts (our choice). At stations below the tree line, every other year has 15 to 40 m/s
 * outside the tropics; higher medians occur on summits, and are gusts in knots or km/h everywhere else.
 */
const PLAUSIBLE: PlausibleMaxima = { unit: 'm/s', median: [5, 45], mostTimesMedian: 2.5 };

/** Cell size [degrees]; cell centres are at multiples of the cell size. Doubled for networks wider than a continent. */
const STEP = 0.05;
/**
 * Radius of influence of a station [km] (own choice: 10-year gusts of Dutch stations 40 to 80 km apart differ
 * by a tenth).
 */
const REACH_KM = 75;
/** Lower bound for distances [km]: half a cell. It replaces shorter distances in weights and resolutions. */
const SAME_PLACE_KM = 2.5;

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
  const name = fileName(request.path);
  const records = await readYearlyMaxima(deps.points, request, 'gust', COLUMNS);
  const isConstant = (values: readonly { readonly value: number }[]): boolean =>
    values.every(({ value }) => value === values[0]?.value);
  const usable = records.filter(({ maxima }) => maxima.length >= LEAST_YEARS);
  const doubts = refuseDoubtful(name, usable, PLAUSIBLE, request.keepDoubtful === true);
  const used = usable.filter(({ maxima }) => !isConstant(maxima));
  const leftOut = records
    .filter((record) => !used.includes(record))
    .map((record) => `station ${record.station} has ${spanOf(record)}`);
  if (used.length === 0)
    throw new InvalidInput(
      `${name} has no station with ${LEAST_YEARS} whole years of gusts that differ (a year counts with ${100 * FULL_YEAR} % of the days of the fullest): ` +
        (leftOut.slice(0, 5).join('; ') || 'it has no station'),
      { param: 'records' },
    );
  const stations = used.map(({ station, lat, lng, maxima }) => ({
    station,
    lat,
    lng,
    maxima: maxima.map(({ value }) => value),
  }));
  const sum = (of: (record: (typeof used)[number]) => number): number =>
    used.reduce((total, record) => total + of(record), 0);
  return {
    ...(await installGusts(deps, stations, request)),
    leftOut,
    doubts,
    years: sum(({ maxima }) => maxima.length),
    droppedYears: sum(({ dropped }) => dropped),
  };
}

/**
 * Installs the gust return levels of stations as layers: see `deriveGustRecords`.
 * @param stations each with at least ten positive yearly maxima [m/s], not all equal
 */
export async function installGusts(
  deps: LayerDeps,
  stations: readonly GustRecord[],
  request: VersionRequest & { readonly path: string },
): Promise<Pick<DerivedGust, 'added' | 'stations' | 'usualMps'>> {
  const name = fileName(request.path);
  const sites = gustSites(stations);
  const shared = {
    layer: 'gust',
    version: request.version,
    date: request.date,
    licence: request.licence,
    source: request.source ?? `GEV of yearly maxima at ${sites.length} stations from ${name}`,
    from: name,
    resolutionM: Math.round(1000 * spacingKm(sites)),
    environment: request.environment,
  };
  const added: AddedLayer[] = [];
  const replaced = new Set<number>();
  for (const area of influenceAreas(sites, REACH_KM, STEP)) {
    const { grid } = area;
    const rasters = GUST_RETURN_PERIODS.map(() =>
      new Float32Array(grid.width * grid.height).fill(Number.NaN),
    );
    const levels = new Float64Array(GUST_RETURN_PERIODS.length);
    eachCell(area, REACH_KM, (cell, { lat, lng }, near) => {
      levelsBetween(near, lat, lng, levels);
      for (let i = 0; i < levels.length; i++) rasters[i]![cell] = levels[i]!;
    });
    for (const [i, samples] of rasters.entries()) {
      if (samples.every(Number.isNaN)) continue;
      const returnPeriodYears = GUST_RETURN_PERIODS[i]!;
      // Only the first area replaces the earlier pieces of the version: the others would replace the first.
      const replace = request.replace === true && !replaced.has(returnPeriodYears);
      replaced.add(returnPeriodYears);
      added.push(
        await addMadeLayer(deps, { ...shared, replace, returnPeriodYears, raster: { grid, samples } }),
      );
    }
  }
  const usual = sites.map(({ levels }) => levels[0]!).toSorted((a, b) => a - b);
  return { added, stations: sites.length, usualMps: usual[usual.length >> 1]! };
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

import { readPlaceAndTime } from '../../app/place-and-time.ts';
import { type PositionSeries, readPoint, readPosition } from '../../app/series/read-position.ts';
import { formatTimestamp } from '../../base/time.ts';
import { POINTS_PER_UNIT } from '../../contract/limits.ts';
import * as contract from '../../contract/ogc/position.ts';
import { route, type RouteContext } from '../route.ts';

/** Series at a position, from the same use case as `GET /v1/historical`. */
export function ogcPositionRoutes(context: RouteContext): void {
  const { deps, limits } = context;
  route(context, contract.getOgcPosition, async ({ storage, principal, query, reply }) => {
    const place = readPoint(query.coords);
    const span = readPlaceAndTime({ datetime: query.datetime });
    const names = query['parameter-name'];
    const found = await readPosition({ ...deps, storage }, principal, place, names, span);
    const points = found.reduce((sum, { series }) => sum + series.values.length, 0);
    await limits.raise(principal, Math.ceil(points / POINTS_PER_UNIT), reply);
    reply.type(contract.COVERAGE_TYPE);
    return coveragesOf(place, found);
  });
}

function coveragesOf(
  { lng, lat }: ReturnType<typeof readPoint>,
  found: readonly PositionSeries[],
): contract.OgcSeries {
  return {
    type: 'CoverageCollection',
    domainType: 'PointSeries',
    parameters: Object.fromEntries(
      found.map(({ metric: { key, unit, source } }) => [
        key,
        {
          type: 'Parameter',
          description: { en: source },
          unit: { symbol: unit },
          observedProperty: { label: { en: key } },
        },
      ]),
    ),
    referencing: [
      {
        coordinates: ['x', 'y'],
        system: { type: 'GeographicCRS', id: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84' },
      },
      { coordinates: ['t'], system: { type: 'TemporalRS', calendar: 'Gregorian' } },
    ],
    coverages: found.map(({ metric, series: { timesMs, values } }) => ({
      type: 'Coverage',
      domain: {
        type: 'Domain',
        axes: {
          x: { values: [lng] },
          y: { values: [lat] },
          t: { values: Array.from(timesMs, formatTimestamp) },
        },
      },
      ranges: {
        [metric.key]: {
          type: 'NdArray',
          dataType: 'float',
          axisNames: ['t'],
          shape: [values.length],
          values: [...values],
        },
      },
    })),
  };
}

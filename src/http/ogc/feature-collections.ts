import type { OgcCollection } from '../../contract/ogc/landing.ts';
import { COVERAGE_TYPE } from '../../contract/ogc/position.ts';
import type { MetricCard } from '../../app/series/known-metrics.ts';
import type { Scope } from '../../contract/scopes.ts';

/** A feature collection at `/ogc`. */
export interface FeatureKind {
  readonly id: 'areas' | 'changes' | 'anomalies' | 'incidents';
  readonly title: string;
  readonly description: string;
  /** The scope that its features need. */
  readonly scope: Scope;
}

export const FEATURE_KINDS: readonly FeatureKind[] = [
  {
    id: 'areas',
    title: 'Areas of interest',
    description: 'The polygons that you watch. Their time is that of their creation.',
    scope: 'aois:read',
  },
  {
    id: 'changes',
    title: 'Changes',
    description: 'Confirmed changes inside your areas of interest. Their time is the day of detection.',
    scope: 'changes:read',
  },
  {
    id: 'anomalies',
    title: 'Anomalies',
    description:
      'Departures of a feed from its expected range, in areas with a subscription. The geometry is that of the area, the time that of the most extreme observation so far.',
    scope: 'anomalies:read',
  },
  {
    id: 'incidents',
    title: 'Incidents',
    description:
      'Anomalies and changes that have a cause in common. The geometry is the box around them, the time that of their beginning.',
    scope: 'anomalies:read',
  },
];

/** The collection of series, which has no items but a position query. */
export const SERIES_ID = 'series';
export const SERIES_SCOPE: Scope = 'historical:read';

/** Longitude and latitude on WGS84: OGC 17-069r4, section 6.2. */
const CRS84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84';

/** WGS 84 with the longitude first, in well-known text: the name and axes of OGC:CRS84. */
const CRS84_WKT =
  'GEOGCRS["WGS 84 (CRS84)",DATUM["World Geodetic System 1984",ELLIPSOID["WGS 84",6378137,298.257223563]],CS[ellipsoidal,2],AXIS["geodetic longitude (Lon)",east],AXIS["geodetic latitude (Lat)",north],UNIT["degree",0.0174532925199433],ID["OGC","CRS84"]]';
const COVERAGE_JSON = 'CoverageJSON';

/** The description of the series. @param root address of `/ogc` @see OGC 19-086r6, section 8.2 */
export function describeSeries(metrics: readonly MetricCard[], root: string): OgcCollection {
  const address = `${root}/collections/${SERIES_ID}`;
  const position = `${address}/position`;
  return {
    id: SERIES_ID,
    title: 'Series',
    description: 'What was observed at a place: the series of GET /v1/historical.',
    extent: { spatial: { bbox: [[-180, -90, 180, 90]], crs: CRS84 } },
    layerDataType: 'Coverage', // GDAL would ask any other collection for features
    crs: [CRS84],
    output_formats: [COVERAGE_JSON],
    data_queries: {
      position: {
        link: {
          href: position,
          rel: 'data',
          type: COVERAGE_TYPE,
          title: 'Series at a position',
          variables: {
            title: 'Series at a position',
            query_type: 'position',
            output_formats: [COVERAGE_JSON],
            default_output_format: COVERAGE_JSON,
            crs_details: [{ crs: 'CRS84', wkt: CRS84_WKT }],
          },
        },
      },
    },
    parameter_names: Object.fromEntries(
      metrics.map(({ key, unit, source }) => [
        key,
        {
          type: 'Parameter',
          id: key,
          description: source,
          unit: { symbol: unit },
          observedProperty: { id: key, label: key },
        },
      ]),
    ),
    links: [{ href: address, rel: 'self', type: 'application/json', title: 'This collection' }],
  };
}

/** The description of a collection. @param root address of `/ogc` */
export function describeKind({ id, title, description }: FeatureKind, root: string): OgcCollection {
  const address = `${root}/collections/${id}`;
  return {
    id,
    title,
    description,
    extent: { spatial: { bbox: [[-180, -90, 180, 90]], crs: CRS84 } },
    itemType: 'feature',
    crs: [CRS84],
    links: [
      { href: address, rel: 'self', type: 'application/json', title: 'This collection' },
      { href: `${address}/items`, rel: 'items', type: 'application/geo+json', title: title },
    ],
  };
}

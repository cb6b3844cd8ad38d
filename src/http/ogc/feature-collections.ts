import type { OgcCollection } from '../../contract/ogc/landing.ts';
import type { Scope } from '../../contract/scopes.ts';

/** A feature collection at `/ogc`. */
export interface FeatureKind {
  readonly id: 'areas' | 'changes' | 'anomalies';
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
];

/** Longitude and latitude on WGS84: OGC 17-069r4, section 6.2. */
const CRS84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84';

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

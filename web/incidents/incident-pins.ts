import type { Aoi, Incident } from '../../src/client/index.ts';
import { boundsOf } from '../map/bounds.ts';
import type { PinOnMap } from '../map/map-content.ts';
import { routeHref } from '../route.ts';

/**
 * The pins of incidents, numbered from 1. One with changes has its pin in the middle of what it concerns. Of one without,
 * such as rain, only the areas are known: it has a pin at the edge of each of them.
 */
export function incidentPins(incidents: readonly Incident[], areas: readonly Aoi[]): readonly PinOnMap[] {
  return incidents.flatMap((incident, i): readonly PinOnMap[] => {
    const { id, title, severity, bbox, change_count: changes, aoi_ids: concerned } = incident;
    const pin = { label: String(i + 1), title, kind: severity, href: routeHref({ pane: 'incident', id }) };
    const corners = areas
      .filter((area) => changes === 0 && concerned.includes(area.id))
      .map(({ geometry }) => boundsOf([geometry]))
      .filter((bounds) => bounds !== undefined)
      .map(([, south, east]) => ({ lat: south, lng: turned(east) }));
    if (corners.length > 0) return corners.map((at) => ({ ...pin, at, onEdge: true as const }));
    const [west, south, east, north] = bbox as [number, number, number, number];
    const middle = (west + (east < west ? east + 360 : east)) / 2;
    return [{ ...pin, at: { lat: (south + north) / 2, lng: turned(middle) } }];
  });
}

const turned = (lng: number): number => (lng > 180 ? lng - 360 : lng);

import type { Incident } from '../../src/client/index.ts';
import type { PinOnMap } from '../map/map-content.ts';
import { routeHref } from '../route.ts';

/** The pins of incidents, numbered from 1: each in the middle of what it concerns. */
export function incidentPins(incidents: readonly Incident[]): readonly PinOnMap[] {
  return incidents.map(({ id, title, severity, bbox }, i) => {
    const [west, south, east, north] = bbox as [number, number, number, number];
    const middle = (west + (east < west ? east + 360 : east)) / 2;
    return {
      label: String(i + 1),
      title,
      kind: severity,
      href: routeHref({ pane: 'incident', id }),
      at: { lat: (south + north) / 2, lng: middle > 180 ? middle - 360 : middle },
    };
  });
}

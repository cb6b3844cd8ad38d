import type { Bbox } from '../../geo/bbox.ts';
import { distanceM } from '../../geo/nearby.ts';
import { polygonsOf, type AreaGeometry } from '../../geo/polygon.ts';
import type { Position } from '../../geo/position.ts';
import { prepareArea } from '../../geo/prepared-area.ts';
import type { Station } from '../series/station-store.ts';

/**
 * Maximum number of stations of one collection that are used for an area (our choice). An InSAR collection can have
 * 100,000 points.
 */
const MOST_STATIONS = 500;

/**
 * Selects the stations that represent an area: the stations inside the area, thinned out evenly if there are more than
 * 500. If no station is inside, selects the nearest station within `reachM`, if any.
 * @param stations sorted by key, so that the selection is always the same
 * @param reachM maximum distance of a station from the area [m]
 */
export function stationsForArea(
  aoi: { readonly geometry: AreaGeometry; readonly bounds: Bbox },
  stations: readonly Station[],
  reachM: number,
): readonly Station[] {
  const area = prepareArea(aoi.geometry);
  const inside = stations.filter(({ lng, lat }) => area.contains([lng, lat]));
  const stride = Math.ceil(inside.length / MOST_STATIONS);
  if (inside.length > 0) return inside.filter((_, i) => i % stride === 0);
  let nearest: Station | undefined;
  let leastM = reachM;
  for (const station of stations) {
    const place: Position = [station.lng, station.lat];
    if (distanceM(place, nearestOfBox(aoi.bounds, place)) > leastM) continue;
    const away = distanceToOutlineM(aoi.geometry, place);
    if (away > leastM || (away === leastM && nearest !== undefined)) continue;
    nearest = station;
    leastM = away;
  }
  return nearest === undefined ? [] : [nearest];
}

function nearestOfBox([west, south, east, north]: Bbox, [lng, lat]: Position): Position {
  const turned = lng < west && lng + 360 <= east ? lng + 360 : lng;
  const across = turned < west || turned > east;
  const sides = [west, east].toSorted((a, b) => turn(lng, a) - turn(lng, b));
  return [across ? sides[0]! : turned, Math.max(south, Math.min(north, lat))];
}

/** Angle between two meridians, 0 to 180 [degrees]. */
function turn(a: number, b: number): number {
  const apart = Math.abs(a - b) % 360;
  return Math.min(apart, 360 - apart);
}

/** Distance from a place to the edges of an area [m], in the tangent plane at the place. */
function distanceToOutlineM(area: AreaGeometry, place: Position): number {
  const [lng, lat] = place;
  const widen = Math.cos((lat * Math.PI) / 180);
  let least = Number.POSITIVE_INFINITY;
  for (const rings of polygonsOf(area)) {
    for (const ring of rings) {
      for (let i = 1; i < ring.length; i++) {
        const [ax, ay] = plane(ring[i - 1]!);
        const [bx, by] = plane(ring[i]!);
        const [dx, dy] = [bx - ax, by - ay];
        const length = dx * dx + dy * dy;
        const along = length > 0 ? Math.max(0, Math.min(1, -(ax * dx + ay * dy) / length)) : 0;
        const [x, y] = [ax + along * dx, ay + along * dy];
        least = Math.min(least, distanceM(place, [lng + x / widen, lat + y]));
      }
    }
  }
  return least;

  function plane([x, y]: Position): readonly [number, number] {
    const east = ((((x - lng) % 360) + 540) % 360) - 180;
    return [east * widen, y - lat];
  }
}

import { distanceM } from '../../src/geo/nearby.ts';

/** A place in decimal degrees. */
export interface Nearby {
  readonly lat: number;
  readonly lng: number;
}

const RADIANS = Math.PI / 180;

/** Great-circle distance of two places in decimal degrees [km]. */
export function distanceKm(lat1: number, lng1: number, lat2: number, lng2: number): number {
  return distanceM([lng1, lat1], [lng2, lat2]) / 1000;
}

/** Index of places: returns those within a distance [km] of a point. Not for the surroundings of the poles. */
export function placesWithin<P extends Nearby>(
  places: readonly P[],
  km: number,
): (lat: number, lng: number) => P[] {
  const step = km / 110;
  const byCell = Map.groupBy(places, ({ lat, lng }) => `${Math.floor(lat / step)},${Math.floor(lng / step)}`);
  return (lat, lng) => {
    const columns = Math.ceil(1 / Math.max(0.1, Math.cos(lat * RADIANS)));
    const [row, column] = [Math.floor(lat / step), Math.floor(lng / step)];
    const found: P[] = [];
    for (let r = row - 1; r <= row + 1; r++)
      for (let c = column - columns; c <= column + columns; c++)
        for (const place of byCell.get(`${r},${c}`) ?? [])
          if (distanceKm(lat, lng, place.lat, place.lng) <= km) found.push(place);
    return found;
  };
}

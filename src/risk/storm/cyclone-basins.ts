/**
 * A basin of tropical cyclones, including the coasts that they reach.
 * @see WMO Tropical Cyclone Programme, WMO-No. 1194 (basins of the regional centres)
 */
interface Basin {
  readonly name: string;
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** Basins that the shipped cyclone layer does not cover, as boxes [degrees]. The layer covers only the Atlantic. */
const UNMAPPED_BASINS: readonly Basin[] = [
  { name: 'East Pacific', west: -125, south: 8, east: -83, north: 33 },
  { name: 'Central Pacific', west: -180, south: 8, east: -125, north: 30 },
  { name: 'North-west Pacific', west: 100, south: 5, east: 180, north: 46 },
  { name: 'North Indian Ocean', west: 42, south: 5, east: 100, north: 27 },
  { name: 'South Indian Ocean', west: 30, south: -32, east: 112, north: -8 },
  { name: 'Australia and South Pacific', west: 112, south: -32, east: 180, north: -8 },
  { name: 'South Pacific', west: -180, south: -30, east: -130, north: -8 },
];

/** Name of the basin at a position if the shipped layer does not cover it; otherwise null. */
export function unmappedBasin(lat: number, lng: number): string | null {
  for (const basin of UNMAPPED_BASINS) {
    if (lat >= basin.south && lat <= basin.north && lng >= basin.west && lng <= basin.east) return basin.name;
  }
  return null;
}

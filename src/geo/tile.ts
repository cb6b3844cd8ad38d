import type { Bbox } from './bbox.ts';
import type { Position } from './position.ts';

/** A tile of the XYZ scheme: zoom, column from the west, row from the north. */
export interface Tile {
  readonly z: number;
  readonly x: number;
  readonly y: number;
}

/** Circumference of the sphere of Web Mercator [m]: 2 pi times 6,378,137 m (EPSG:3857). */
const AROUND_M = 2 * Math.PI * 6_378_137;

/** The bounds of a tile. Those of the first and last row end at 85.05 degrees. */
export function boundsOfTile(tile: Tile): Bbox {
  const [west, north] = placeInTile(tile, 0, 0);
  const [east, south] = placeInTile(tile, 1, 1);
  return [west, south, east, north];
}

/** Latitude at which tiles end [degrees], rounded down. */
const END = 85.05;

/**
 * Bounds for a TileJSON document: what lies across the antimeridian gets all longitudes, since programs cut bounds at
 * 180 degrees, and latitudes end where the tiles do.
 */
export function boundsForTiles([west, south, east, north]: Bbox): [number, number, number, number] {
  const turn = east > 180 || west < -180 || west > east;
  return [turn ? -180 : west, Math.max(-END, south), turn ? 180 : east, Math.min(END, north)];
}

/** Width of a pixel of a tile of 256 pixels at zoom 0 on the ground at the equator [m]. */
const PIXEL_M = AROUND_M / 256;

/** The place within a tile as longitude and latitude; `across` and `down` are 0 at its north-west corner, 1 at the other. */
export function placeInTile({ z, x, y }: Tile, across: number, down: number): Position {
  const tiles = 2 ** z;
  const lng = ((x + across) / tiles) * 360 - 180;
  const lat = (Math.atan(Math.sinh(Math.PI * (1 - (2 * (y + down)) / tiles))) * 180) / Math.PI;
  return [lng, lat];
}

/** The zoom at which a pixel of a tile is as wide as `pixelM` [m] at a latitude. It need not be whole. */
export function zoomOf(pixelM: number, lat: number): number {
  return Math.log2((PIXEL_M * Math.cos((lat * Math.PI) / 180)) / pixelM);
}

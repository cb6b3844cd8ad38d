import type { AreaGeometry } from '../../geo/polygon.ts';
import { prepareArea } from '../../geo/prepared-area.ts';
import { type Bbox, bboxOf, uniteBboxes } from '../../geo/bbox.ts';
import { wrapLongitude } from '../../geo/position.ts';
import type { GridSize } from './picture-maker.ts';

/** Size of a map [pixels]. */
export const MAP_SIZE: GridSize = { width: 552, height: 345 };
/** Ground around the areas, as a share of their longer side. */
const MARGIN = 0.25;
/** Least side of the ground that a map shows [degrees of latitude]: about a kilometre. */
const LEAST_DEGREES = 0.01;
/** Lines of the graticule that the longer side has at most. */
const MOST_LINES = 7;
/** Colours of the map: ground, graticule, area, edge of an area. */
const [GROUND, LINE, AREA, EDGE] = [0, 1, 2, 3];
/** The same colours in this order. The areas have the green of the console. */
export const MAP_PALETTE = [
  [238, 242, 236, 255],
  [205, 213, 205, 255],
  [183, 219, 207, 255],
  [15, 118, 110, 255],
] as const;

/** A plain map of some areas: indices into {@link MAP_PALETTE}, row-major, and the distance of its lines [degrees]. */
export interface AreaMap {
  readonly pixels: Uint8Array;
  readonly step: number;
}

/**
 * Draws areas over a graticule, for ground of which there is no picture. One degree is as long in both directions as on
 * the ground at the middle of the map.
 * @param areas at least one
 */
export function drawAreaMap(areas: readonly AreaGeometry[]): AreaMap {
  const { width, height } = MAP_SIZE;
  const { west, north, perPixelX, perPixelY, step } = frameOf(areas.map(bboxOf).reduce(uniteBboxes));
  const prepared = areas.map(prepareArea);
  const isInside = new Uint8Array((width + 2) * (height + 2));
  for (let y = -1; y <= height; y++)
    for (let x = -1; x <= width; x++) {
      const at = [wrapLongitude(west + (x + 0.5) * perPixelX), north - (y + 0.5) * perPixelY] as const;
      if (Math.abs(at[1]) <= 90 && prepared.some((one) => one.contains([at[0], at[1]])))
        isInside[(y + 1) * (width + 2) + x + 1] = 1;
    }
  // Areas smaller than a pixel are a spot in the middle.
  if (!isInside.includes(1))
    for (const [dx, dy] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ] as const)
      isInside[(Math.floor(height / 2) + dy) * (width + 2) + width / 2 + dx] = 1;
  const isLine = (from: number, to: number): boolean => Math.floor(from / step) !== Math.floor(to / step);
  const pixels = new Uint8Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = (y + 1) * (width + 2) + x + 1;
      const isEdge =
        isInside[at] === 1 &&
        [at - 1, at + 1, at - width - 2, at + width + 2].some((next) => isInside[next] === 0);
      const lng = west + x * perPixelX;
      const lat = north - y * perPixelY;
      const onLine = isLine(lng, lng + perPixelX) || isLine(lat, lat - perPixelY);
      pixels[y * width + x] = isEdge ? EDGE : isInside[at] === 1 ? AREA : onLine ? LINE : GROUND;
    }
  return { pixels, step };
}

/** The ground that a map shows: its corner, the size of a pixel, and the distance of the lines, all in degrees. */
function frameOf([west, south, east, north]: Bbox) {
  const { width, height } = MAP_SIZE;
  const middle = (south + north) / 2;
  const squeeze = Math.max(0.01, Math.cos((middle * Math.PI) / 180)); // a degree of longitude in degrees of latitude
  const across = Math.max(LEAST_DEGREES, (east - west) * squeeze) * (1 + 2 * MARGIN);
  const down = Math.max(LEAST_DEGREES, north - south) * (1 + 2 * MARGIN);
  const perPixelY = Math.max(across / width, down / height);
  const perPixelX = perPixelY / squeeze;
  const step = roundStep((perPixelY * width) / MOST_LINES);
  return {
    west: (west + east) / 2 - (perPixelX * width) / 2,
    north: middle + (perPixelY * height) / 2,
    perPixelX,
    perPixelY,
    step,
  };
}

/** The least of 1, 2 and 5 times a power of ten that is no smaller than a number. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((part) => part * power).find((step) => step >= least * (1 - 1e-9))!;
}

import { InvalidInput } from '../../../base/errors.ts';
import { type Bbox } from '../../../geo/bbox.ts';
import { KM_PER_DEGREE } from '../../../geo/earth.ts';
import { type CentreGrid, distanceToSegments, isSeam } from '../../../geo/line-distance.ts';
import { insideLines } from '../../../geo/inside-lines.ts';
import type { MadeRaster } from '../layer-shelf.ts';
import { latticeGrid } from './degree-lattice.ts';
import type { LandReader } from './land-reader.ts';

const STEP = 1 / 360; // 10 arc-seconds: finer than the shorelines are drawn (our choice) [degrees]
/** Distance at which the coast layer ends, as that of the shipped one [km]. */
const LIMIT_KM = 80;
const MOST_CELLS = 2 ** 24; // 400 MiB while it is computed; 9 degrees square at the equator (our choice)
/** Land is mapped to 85 N; beyond, a degree of longitude is too short for the lattice [degrees]. */
const MOST_LATITUDE = 85;

/**
 * Derives the distance to the shore in a box from land polygons [km]: positive on land, negative at sea, at most 80.
 * Land around the box counts, as far as 80 km.
 * @param member file name of the shapefile in the archive
 * @throws InvalidInput when the box is too large or beyond 85 degrees, or the archive is damaged
 */
export async function deriveCoast(
  land: LandReader,
  { path, member, box }: { readonly path: string; readonly member: string; readonly box: Bbox },
): Promise<MadeRaster> {
  const { around, wide, skipColumns, skipRows, inner } = latticesOf(box);
  const sides = await land.readLand(path, member, around);
  const { distanceKm } = distanceToSegments(wide, shoresOf(sides), LIMIT_KM);
  const isLand = insideLines(wide, sides);
  const samples = new Float32Array(inner.width * inner.height);
  for (let row = 0; row < inner.height; row++)
    for (let col = 0; col < inner.width; col++) {
      const from = (row + skipRows) * wide.width + col + skipColumns;
      const km = Math.min(LIMIT_KM, distanceKm[from]!);
      samples[row * inner.width + col] = isLand[from] === 1 ? km : -km;
    }
  return { grid: latticeGrid(inner), samples };
}

/** @throws InvalidInput */
export function checkCoastBox(box: Bbox): void {
  latticesOf(box);
}

/** The lattice of the box with a cell around it, and that with the 80 km around it. */
function latticesOf([west, south, east, north]: Bbox) {
  if (Math.max(Math.abs(south), Math.abs(north)) > MOST_LATITUDE)
    throw new InvalidInput(`--bbox: expected latitudes from -${MOST_LATITUDE} to ${MOST_LATITUDE}`, {
      param: 'bbox',
    });
  const [left, right] = [Math.floor(west / STEP) - 1, Math.ceil(east / STEP) + 1];
  const [bottom, top] = [Math.floor(south / STEP) - 1, Math.ceil(north / STEP) + 1];
  const skipRows = Math.ceil(LIMIT_KM / KM_PER_DEGREE / STEP);
  const steepest = Math.max(Math.abs(south), Math.abs(north)) + skipRows * STEP;
  const skipColumns = Math.ceil(skipRows / Math.cos((Math.min(steepest, 86) * Math.PI) / 180));
  const inner = gridOf(left, right, bottom, top);
  const wide = gridOf(left - skipColumns, right + skipColumns, bottom - skipRows, top + skipRows);
  if (wide.width * wide.height > MOST_CELLS)
    throw new InvalidInput(
      `--bbox: the distance to the coast would take ${wide.width} x ${wide.height} cells of 10 arc-seconds with the 80 km around it; at most ${MOST_CELLS} are computed at once; give smaller boxes one after the other`,
      { param: 'bbox' },
    );
  const around: Bbox = [
    (left - skipColumns) * STEP,
    (bottom - skipRows) * STEP,
    (right + skipColumns) * STEP,
    (top + skipRows) * STEP,
  ];
  return { around, wide, skipColumns, skipRows, inner };
}

/** The cells between edges, in steps from zero. */
function gridOf(left: number, right: number, bottom: number, top: number): CentreGrid {
  return {
    width: right - left,
    height: top - bottom,
    step: STEP,
    west: (left + 0.5) * STEP,
    north: (top - 0.5) * STEP,
  };
}

/** The sides that are shores. */
function shoresOf(sides: Float64Array): Float64Array {
  const shores = sides.slice();
  let count = 0;
  for (let s = 0; s < sides.length; s += 4) {
    const side = sides.subarray(s, s + 4) as unknown as [number, number, number, number];
    if (isSeam(wrapped(side[0]), side[1], wrapped(side[2]), side[3])) continue;
    shores.set(side, count);
    count += 4;
  }
  return shores.subarray(0, count);
}

/** A longitude of a copy of the globe, in [-180, 180]. */
const wrapped = (lng: number): number => (lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng);

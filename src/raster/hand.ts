import { drainTerrain, LEAVES, upstreamAreaKm2 } from './drainage.ts';
import { seaSurface } from './sea-surface.ts';
import type { Terrain } from './terrain.ts';

export interface HandOptions {
  /**
   * Area [km2] used as two minimums: the upstream area from which a cell is a stream, and the area from which a group
   * of connected cells at 0 m is the sea.
   */
  readonly streamAreaKm2: number;
  /**
   * Whether nodata is water (the sea, a lake). If true, cells next to nodata are on the bank of the water. If false,
   * nodata is unknown ground.
   */
  readonly nodataIsWater: boolean;
}

/** Height above nearest drainage (HAND), and the upstream area of that drainage. */
export interface HandRaster {
  /**
   * Height above the stream or sea that the cell drains to, 0 or more [m]; NaN where the water leaves the data before
   * it reaches a stream.
   */
  readonly handM: Float32Array;
  /**
   * Upstream area at the place where the water of the cell reaches a stream or the sea [km2]; NaN where `handM` is
   * NaN.
   */
  readonly streamAreaKm2: Float32Array;
}

/**
 * Computes the height above nearest drainage (HAND): the height of a cell above the first cell of a stream or the sea
 * on the way downstream. The height of the cell is taken from the terrain, the height of the stream from the filled
 * surface: a lake has the height of its water level, and cells below that level have a HAND of 0.
 * @throws RangeError when the terrain is malformed or `streamAreaKm2` is not above 0
 * @see Nobre et al. 2011, doi:10.1016/j.jhydrol.2011.03.051
 */
export function heightAboveDrainage(terrain: Terrain, options: HandOptions): HandRaster {
  if (!(options.streamAreaKm2 > 0)) {
    throw new RangeError(`expected a stream area above 0 km2, got ${options.streamAreaKm2}`);
  }
  const drainage = drainTerrain(terrain);
  const areas = upstreamAreaKm2(terrain, drainage);
  const { heights, width, height } = terrain;
  const handM = new Float32Array(heights.length).fill(Number.NaN);
  const streamAreaKm2 = new Float32Array(heights.length).fill(Number.NaN);
  const sea = seaSurface(terrain, options.streamAreaKm2);
  const isAtBorder = (cell: number): boolean => {
    const row = Math.floor(cell / width);
    const col = cell - row * width;
    return row === 0 || col === 0 || row === height - 1 || col === width - 1;
  };
  // Each cell comes after its receiver, whose stream is already known.
  const streams = new Int32Array(heights.length).fill(LEAVES);
  for (const cell of drainage.order) {
    const receiver = drainage.receivers[cell]!;
    const isBank = sea[cell] === 1 || (receiver === LEAVES && options.nodataIsWater && !isAtBorder(cell));
    const stream =
      areas[cell]! >= options.streamAreaKm2 || isBank
        ? cell
        : receiver === LEAVES
          ? LEAVES
          : streams[receiver]!;
    streams[cell] = stream;
    if (stream === LEAVES) continue;
    handM[cell] = Math.max(0, heights[cell]! - drainage.filled[stream]!);
    streamAreaKm2[cell] = areas[stream]!;
  }
  return { handM, streamAreaKm2 };
}

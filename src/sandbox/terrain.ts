import type { Grid } from '../geo/grid.ts';
import { drainTerrain, upstreamAreaKm2 } from '../raster/drainage.ts';
import { heightAboveDrainage } from '../raster/hand.ts';
import type { Terrain } from '../raster/terrain.ts';
import { arctangent, exponential, hypotenuse, logarithm } from './portable-math.ts';
import { noiseField } from './random.ts';

/** Edge length of a pixel [m]. */
export const PIXEL_M = 20;
const EDGE = 300; // edge length of the region in pixels: 6 km
const PEAK_M = 420; // approximate height of the hills
const STEEPENING = 1.4; // exponent of the ground height as a function of distance from the shore (our choice)
/** Upstream area at or above which a pixel is a stream and counts as water [km2]. */
export const STREAM_KM2 = 1;

/**
 * Grid of the simulated region, in UTM zone 26 north. The region is in the open Atlantic at 27 W, 46 N, where there is
 * no land, so that nobody mistakes it for a real place.
 */
export const SANDBOX_GRID: Grid = {
  width: EDGE,
  height: EDGE,
  crs: 'EPSG:32626',
  proj4: '+proj=utm +zone=26 +datum=WGS84 +units=m +no_defs',
  transform: [500_000, PIXEL_M, 0, 5_100_000, 0, -PIXEL_M],
};

/** Ground of the region, row-major. */
export interface Ground {
  /** Metres above sea level; the sea is 0 or less. */
  readonly elevationM: Float32Array;
  /** Steepness [degrees]. */
  readonly slopeDegrees: Float32Array;
  /** Upstream area of each pixel [km2]; NaN at sea. */
  readonly upstreamKm2: Float32Array;
  /**
   * Height above the stream or sea that the pixel drains to [m], and the upstream area at that place [km2]. Both are
   * NaN if the pixel drains to neither.
   */
  readonly handM: Float32Array;
  readonly streamKm2: Float32Array;
  /** 1 if the pixel is a stream or the sea, otherwise 0. */
  readonly isWater: Uint8Array;
}

/** Creates the ground: a coast in the west, hills in the east, and rivers between them. */
export function makeGround(seed: number): Ground {
  const { width, height } = SANDBOX_GRID;
  const hills = noiseField(seed, width, height, 130, 6);
  const shore = noiseField(seed + 1, width, height, 90, 4);
  const elevationM = new Float32Array(width * height);
  for (let row = 0; row < height; row++) {
    for (let col = 0; col < width; col++) {
      const i = row * width + col;
      // Distance from the shoreline, as a share of the region's width. The sea covers about the western sixth.
      const inland = (col - 52 - 70 * shore[i]!) / width;
      const rise =
        inland <= 0
          ? inland * 90
          : exponential(STEEPENING * logarithm(inland)) * PEAK_M * (0.75 + 0.6 * hills[i]!);
      elevationM[i] = inland <= 0 ? Math.max(-30, rise) : 0.6 + Math.max(0, rise);
    }
  }
  const terrain: Terrain = {
    heights: elevationM.map((metres) => (metres > 0 ? metres : Number.NaN)),
    width,
    height,
    cellWidthM: new Float64Array(height).fill(PIXEL_M),
    cellHeightM: new Float64Array(height).fill(PIXEL_M),
  };
  const upstreamKm2 = Float32Array.from(upstreamAreaKm2(terrain, drainTerrain(terrain)), (area, i) =>
    elevationM[i]! > 0 ? area : Number.NaN,
  );
  const drainage = heightAboveDrainage(terrain, { streamAreaKm2: STREAM_KM2, nodataIsWater: true });
  const isWater = new Uint8Array(width * height);
  for (let i = 0; i < isWater.length; i++) {
    isWater[i] = elevationM[i]! <= 0 || upstreamKm2[i]! >= STREAM_KM2 ? 1 : 0;
  }
  return {
    elevationM,
    slopeDegrees: slopes(elevationM),
    upstreamKm2,
    handM: drainage.handM,
    streamKm2: drainage.streamAreaKm2,
    isWater,
  };
}

/**
 * Returns a function that gives the depth of a river flood at a pixel [m], 0 if the pixel stays dry. The rise of a
 * river increases with the logarithm of the return period `years` and with the upstream area (our choice).
 */
export function riverFlood({ handM, streamKm2 }: Ground, years: number): (pixel: number) => number {
  const rise = 0.5 + 0.25 * logarithm(years);
  return (pixel) => {
    const riseM = rise * Math.sqrt(Math.sqrt(streamKm2[pixel]!));
    return Number.isNaN(riseM) ? 0 : Math.max(0, riseM - handM[pixel]!);
  };
}

/** Steepness by central differences [degrees], with the sea at 0 m. Beyond the edge, the edge pixels are repeated. */
function slopes(elevationM: Float32Array): Float32Array {
  const { width, height } = SANDBOX_GRID;
  const at = (row: number, col: number): number =>
    Math.max(
      0,
      elevationM[Math.min(height - 1, Math.max(0, row)) * width + Math.min(width - 1, Math.max(0, col))]!,
    );
  return Float32Array.from(elevationM, (_, i) => {
    const [row, col] = [Math.floor(i / width), i % width];
    const east = (at(row, col + 1) - at(row, col - 1)) / (2 * PIXEL_M);
    const north = (at(row - 1, col) - at(row + 1, col)) / (2 * PIXEL_M);
    return (arctangent(hypotenuse(east, north)) * 180) / Math.PI;
  });
}

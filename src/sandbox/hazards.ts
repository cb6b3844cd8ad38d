import { logarithm } from './portable-math.ts';
import { noiseField } from './random.ts';
import { PIXEL_M, riverFlood, SANDBOX_GRID } from './terrain.ts';
import type { World } from './world.ts';

/** Return periods of the flood maps [years]. */
const FLOOD_RETURN_PERIODS = [10, 20, 50, 100, 200, 500] as const;

/** One map of the simulated region, with the name of its layer. */
export interface RegionLayer {
  readonly layer: string;
  /** Return period of a hazard map [years]; absent for other maps. */
  readonly returnPeriodYears?: number;
  /** Row-major on SANDBOX_GRID; NaN where unknown. */
  readonly samples: Float32Array;
}

/** Maps of the region's ground, water and floods, computed from the simulated world without errors. */
export function regionLayers({ seed, ground, land }: World): readonly RegionLayer[] {
  const { width, height } = SANDBOX_GRID;
  const { elevationM, slopeDegrees, handM, streamKm2, isWater } = ground;
  const heights = elevationM.map((metres) => (metres > 0 ? metres : Number.NaN));
  const clay = noiseField(seed + 5, width, height, 80, 3);
  return [
    { layer: 'elevation', samples: heights },
    { layer: 'slope', samples: slopeDegrees },
    { layer: 'land-cover', samples: Float32Array.from(land.cover) },
    { layer: 'permanent-water', samples: Float32Array.from(isWater) },
    { layer: 'coast-distance', samples: shoreDistanceKm(elevationM) },
    { layer: 'hand', samples: handM },
    { layer: 'upstream-area', samples: streamKm2 },
    {
      layer: 'soil-clay',
      samples: clay.map((noise, i) =>
        isWater[i] === 1 ? Number.NaN : Math.min(60, Math.max(4, 24 + 22 * noise)),
      ),
    },
    ...FLOOD_RETURN_PERIODS.map((returnPeriodYears) => {
      const depthM = riverFlood(ground, returnPeriodYears);
      return { layer: 'flood-depth', returnPeriodYears, samples: handM.map((_, pixel) => depthM(pixel)) };
    }),
    ...FLOOD_RETURN_PERIODS.map((returnPeriodYears) => ({
      layer: 'coastal-flood-depth',
      returnPeriodYears,
      samples: seaFloodM(elevationM, returnPeriodYears),
    })),
  ];
}

/**
 * Depth of a flood from the sea [m] at places that the water can reach from the sea, otherwise 0. The level of the
 * sea is 1.5 m for a return period of 10 years and 2.5 m for 500 years (our choice).
 */
function seaFloodM(elevationM: Float32Array, years: number): Float32Array {
  const levelM = 0.9 + 0.26 * logarithm(years);
  const depths = new Float32Array(elevationM.length);
  const queue: number[] = [];
  const isReached = new Uint8Array(elevationM.length);
  elevationM.forEach((metres, pixel) => {
    if (metres > 0) return;
    isReached[pixel] = 1;
    queue.push(pixel);
  });
  for (const pixel of queue) {
    for (const next of neighbours(pixel)) {
      if (isReached[next] === 1 || elevationM[next]! >= levelM) continue;
      isReached[next] = 1;
      depths[next] = levelM - elevationM[next]!;
      queue.push(next);
    }
  }
  return depths;
}

/** Distance to the shore [km], negative at sea, along straight and diagonal steps between neighbouring pixels. */
function shoreDistanceKm(elevationM: Float32Array): Float32Array {
  const { width, height } = SANDBOX_GRID;
  const toLand = new Float32Array(elevationM.length).fill(Infinity);
  const toSea = new Float32Array(elevationM.length).fill(Infinity);
  elevationM.forEach((metres, i) => ((metres > 0 ? toLand : toSea)[i] = 0));
  for (const way of [toLand, toSea]) {
    // Two sweeps of a chamfer distance transform, forwards and backwards (Borgefors 1986,
    // doi:10.1016/S0734-189X(86)80047-0).
    for (const step of [1, -1]) {
      const start = step === 1 ? 0 : way.length - 1;
      for (let i = start; i >= 0 && i < way.length; i += step) {
        const [row, col] = [Math.floor(i / width), i % width];
        const relax = (dr: number, dc: number, length: number): void => {
          const [r, c] = [row + dr, col + dc];
          if (r >= 0 && r < height && c >= 0 && c < width)
            way[i] = Math.min(way[i]!, way[r * width + c]! + length);
        };
        relax(0, -step, 1);
        relax(-step, 0, 1);
        relax(-step, -step, Math.SQRT2);
        relax(-step, step, Math.SQRT2);
      }
    }
  }
  return toLand.map((land, i) => ((elevationM[i]! > 0 ? toSea[i]! : -land) * PIXEL_M) / 1000);
}

function neighbours(pixel: number): readonly number[] {
  const { width, height } = SANDBOX_GRID;
  const [row, col] = [Math.floor(pixel / width), pixel % width];
  return [
    ...(row > 0 ? [pixel - width] : []),
    ...(row < height - 1 ? [pixel + width] : []),
    ...(col > 0 ? [pixel - 1] : []),
    ...(col < width - 1 ? [pixel + 1] : []),
  ];
}

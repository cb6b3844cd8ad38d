import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fromFile } from 'geotiff';
import { heightAboveDrainage } from '../../src/raster/hand.ts';
import type { Terrain } from '../../src/raster/terrain.ts';
import { handCase } from './flood-hand-cases.ts';
import type { Random, SimulatedCase } from './simulated-case.ts';

/** The DEM of Olinda (SRTM, from the R package stars, Apache-2.0): 111 x 111 cells of 90 m. */
const DEM = join(import.meta.dirname, '../../../shared/data/debian-raster-samples/olinda_dem_utm25s.tif');
const CELL_M = 90;
/**
 * First column with places: they are in the eastern half, because the model's spreads were fitted to the western half
 * (src/risk/flood/flood-ground.ts).
 */
const FIRST_COLUMN = 56;
const STREAM_KM2 = 1; // minimum upstream area of a stream: the default of `layers derive hand`
/** Side of a tile [cells]: 1.8 km. The places in a tile share a valley, so they are one unit. */
const TILE = 20;
const COARSER = [2, 3] as const;

interface Hand {
  readonly width: number;
  readonly height: number;
  readonly handM: Float32Array;
  readonly areaKm2: Float32Array;
}

/**
 * Places in a real landscape. The truth is the height above drainage from its DEM. The layer is computed from the
 * same DEM with cells two or three times as wide. Stage and building are drawn. Null when the DEM is absent.
 */
export async function openCoarsenedHand(): Promise<((random: Random) => SimulatedCase) | null> {
  if (!existsSync(DEM)) return null;
  const tiff = await fromFile(DEM);
  const image = await tiff.getImage();
  const [band] = (await image.readRasters()) as unknown as readonly ArrayLike<number>[];
  const [width, height] = [image.getWidth(), image.getHeight()];
  await tiff.close();
  const heights = Float32Array.from(band!);
  const fine = handOf(terrain(heights, width, height, 1));
  const coarse = COARSER.map((times) => handOf(terrain(heights, width, height, times)));
  return (random) => {
    for (;;) {
      const which = random.uniform() < 0.5 ? 0 : 1;
      const times = COARSER[which];
      const { width: columns, height: rows } = coarse[which]!;
      const col = FIRST_COLUMN + Math.floor(random.uniform() * (columns * times - FIRST_COLUMN));
      const row = Math.floor(random.uniform() * rows * times);
      const truth = { handM: fine.handM[row * width + col]!, areaKm2: fine.areaKm2[row * width + col]! };
      const x = (col + 0.5) / times - 0.5;
      const y = (row + 0.5) / times - 0.5;
      const said = {
        handM: bilinear(coarse[which]!, x, y),
        areaKm2: nearest(coarse[which]!, x, y),
      };
      const unit = `${Math.floor(col / TILE)},${Math.floor(row / TILE)}`;
      // Places at sea, which has height 0 in this DEM, are skipped because they have no buildings.
      if (!(heights[row * width + col]! > 0)) continue;
      if ([truth.handM, truth.areaKm2, said.handM, said.areaKm2].every(Number.isFinite))
        return { ...handCase(random, CELL_M * times, said, truth), unit };
    }
  };
}

/** Returns the terrain with cells `times` times as wide, each with the mean height of the cells that it covers. */
function terrain(heights: Float32Array, width: number, height: number, times: number): Terrain {
  const [columns, rows] = [Math.floor(width / times), Math.floor(height / times)];
  const means = new Float32Array(columns * rows);
  for (let cell = 0; cell < means.length; cell++)
    for (let k = 0; k < times * times; k++) {
      const row = Math.floor(cell / columns) * times + Math.floor(k / times);
      means[cell]! += heights[row * width + (cell % columns) * times + (k % times)]! / (times * times);
    }
  const sizes = new Float64Array(rows).fill(CELL_M * times);
  return { heights: means, width: columns, height: rows, cellWidthM: sizes, cellHeightM: sizes };
}

function handOf(of: Terrain): Hand {
  const { handM, streamAreaKm2 } = heightAboveDrainage(of, {
    streamAreaKm2: STREAM_KM2,
    nodataIsWater: false,
  });
  return { width: of.width, height: of.height, handM, areaKm2: streamAreaKm2 };
}

/** Height between cell centres by bilinear interpolation, constant at the border, as in the reading of layers. */
function bilinear({ width, height, handM }: Hand, x: number, y: number): number {
  const col = Math.min(width - 2, Math.max(0, Math.floor(x)));
  const row = Math.min(height - 2, Math.max(0, Math.floor(y)));
  const [tx, ty] = [Math.min(1, Math.max(0, x - col)), Math.min(1, Math.max(0, y - row))];
  const at = (i: number, j: number): number => handM[(row + i) * width + col + j]!;
  return (1 - ty) * ((1 - tx) * at(0, 0) + tx * at(0, 1)) + ty * ((1 - tx) * at(1, 0) + tx * at(1, 1));
}

/** Upstream area of the cell that contains the point, without interpolation. */
function nearest({ width, areaKm2 }: Hand, x: number, y: number): number {
  return areaKm2[Math.round(y) * width + Math.round(x)]!;
}

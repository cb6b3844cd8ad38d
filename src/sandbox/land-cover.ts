import { hypotenuse } from './portable-math.ts';
import { hash, noiseField, uniform } from './random.ts';
import { SANDBOX_GRID, type Ground } from './terrain.ts';

/** Codes of ESA WorldCover (Zanaga et al. 2022, doi:10.5281/zenodo.7254221), which the wildfire model uses too. */
export const COVER = {
  forest: 10,
  grass: 30,
  crops: 40,
  built: 50,
  bare: 60,
  water: 80,
} as const;

/** A code of COVER. */
export type Cover = (typeof COVER)[keyof typeof COVER];

const FIELD = 14; // pixels between the centres of fields; a field has about 8 ha

/** Land cover and field of each pixel. A field is mown or sown as a whole. */
export interface Land {
  /** Codes of COVER, row-major. */
  readonly cover: Uint8Array;
  /** Number of the pixel's field; only meaningful in crops and grass. */
  readonly field: Uint32Array;
}

/** Creates the land cover: a town at the shore, crops and grass on flat ground, forest on the hills, bare summits. */
export function makeLand(seed: number, ground: Ground): Land {
  const { width, height } = SANDBOX_GRID;
  const wood = noiseField(seed + 2, width, height, 60, 4);
  const cover = new Uint8Array(width * height);
  const field = new Uint32Array(width * height);
  for (let row = 0; row < height; row++) {
    for (let col = 0; col < width; col++) {
      const i = row * width + col;
      field[i] = nearestField(seed, col, row);
      cover[i] = coverAt(seed, ground, i, col, row, wood[i]!, field[i]);
    }
  }
  return { cover, field };
}

const TOWN = { col: 95, row: 165, radius: 24 } as const; // centre and radius [pixels]

function coverAt(
  seed: number,
  { isWater, elevationM, slopeDegrees }: Ground,
  i: number,
  col: number,
  row: number,
  wood: number,
  field: number,
): Cover {
  if (isWater[i] === 1) return COVER.water;
  const fromTown = hypotenuse(col - TOWN.col, row - TOWN.row) / TOWN.radius;
  if (fromTown + 0.5 * wood < 0.75 && slopeDegrees[i]! < 12) return COVER.built;
  if (elevationM[i]! > 330 && wood < 0.05) return COVER.bare;
  if (slopeDegrees[i]! > 9 || elevationM[i]! > 150 || wood > 0.18)
    return wood > -0.45 ? COVER.forest : COVER.grass;
  return uniform(seed, 11, field) < 0.6 ? COVER.crops : COVER.grass;
}

/** Number of the field with the nearest centre. The centres form a lattice with random offsets. */
function nearestField(seed: number, col: number, row: number): number {
  const [cellCol, cellRow] = [Math.floor(col / FIELD), Math.floor(row / FIELD)];
  let [nearest, best] = [0, Infinity];
  for (let dr = -1; dr <= 1; dr++) {
    for (let dc = -1; dc <= 1; dc++) {
      const [c, r] = [cellCol + dc, cellRow + dr];
      const x = (c + 0.15 + 0.7 * uniform(seed, 12, c, r)) * FIELD;
      const y = (r + 0.15 + 0.7 * uniform(seed, 13, c, r)) * FIELD;
      const distance = (x - col) * (x - col) + (y - row) * (y - row);
      if (distance < best) [nearest, best] = [hash(seed, 14, c, r), distance];
    }
  }
  return nearest;
}

import { NotFound } from '../../base/errors.ts';
import type { Grid } from '../../geo/grid.ts';
import { COLOUR_BANDS } from '../../raster/true-colour.ts';
import type { CubeSpec, CubeStore } from './cube-store.ts';
import { cubesOf } from './snow-cube.ts';

// A scene whose source has red, green and blue has a picture in true colour. Collections of one name share the scenes,
// so one of them has the picture, in a cube of its own: planes of red, green and blue, one below the other, each with a
// brightness of 1 to 255, and no value where the scene shows nothing. Clouds are in it: it is a picture, not a
// measurement.

/** Longest side of a picture [pixels]. A larger grid is averaged down to it. */
const PICTURE_SIDE = 2048;
/** Raw value of pixels without a brightness: the missing value of int16 cubes. */
const MISSING = -32_768;

/** Returns the id of the cube with the pictures of a collection. */
export function colourCubeId(collectionId: string): string {
  return `${collectionId}-colour`;
}

/** Columns and rows of the grid of a collection that one pixel of its pictures covers. */
export function pictureStep({ width, height }: Pick<Grid, 'width' | 'height'>): number {
  return Math.ceil(Math.max(width, height) / PICTURE_SIDE);
}

/** Returns the grid of the pictures of a collection. */
export function pictureGrid(grid: Grid): Grid {
  const step = pictureStep(grid);
  const [x, a, b, y, d, e] = grid.transform;
  return {
    ...grid,
    width: Math.ceil(grid.width / step),
    height: Math.ceil(grid.height / step),
    transform: [x, a * step, b * step, y, d * step, e * step],
  };
}

/** Returns the form of the cube with the pictures of a grid. */
export function colourCubeSpec(grid: Grid): CubeSpec {
  const { width, height } = pictureGrid(grid);
  return { width, height: COLOUR_BANDS.length * height, sampleType: 'int16' };
}

/**
 * Stores the picture of a scene in place of an earlier one. It is on disk when the promise resolves.
 * @param planes brightness of red, green and blue, each row-major on `pictureGrid`, one after the other
 */
export async function writeColours(
  cube: CubeStore,
  { id, grid }: { readonly id: string; readonly grid: Grid },
  scene: { readonly key: string; readonly timeMs: number },
  planes: Uint8Array,
): Promise<void> {
  const cubeId = colourCubeId(id);
  await cube.create(cubeId, colourCubeSpec(grid));
  await cube.append(
    cubeId,
    scene,
    Int16Array.from(planes, (value) => (value === 0 ? MISSING : value)),
  );
}

/** Returns the ids of all cubes of a collection: of its samples, of snow and of pictures, as far as there are any. */
export async function allCubesOf(
  cube: Pick<CubeStore, 'scenes'>,
  collectionId: string,
): Promise<readonly string[]> {
  const colours = colourCubeId(collectionId);
  const isThere = await cube.scenes(colours).then(
    () => true,
    (error: unknown) => !(error instanceof NotFound),
  );
  return [...(await cubesOf(cube, collectionId)), ...(isThere ? [colours] : [])];
}

import { NotFound } from '../../base/errors.ts';
import type { Grid } from '../../geo/grid.ts';
import type { PixelSet } from '../../raster/pixel-set.ts';
import type { CubeScene, CubeSpec, CubeStore } from './cube-store.ts';
import { unlessMissing } from './missing-cube.ts';

// The cube of a collection has no value where a scene is masked, so it cannot tell snow from cloud. Each collection
// whose masks tell snow therefore has a second cube. It holds the scenes with snow, under the keys that they have in
// the first cube: 1 where the scene shows snow, and no value elsewhere.

/** Raw value of snow in a snow cube. */
const SNOW = 1;
/** Raw value of everything else: the missing value of int16 cubes. */
const NO_SNOW = -32_768;

/** Returns the id of the snow cube of a collection. */
export function snowCubeId(collectionId: string): string {
  return `${collectionId}-snow`;
}

/** Returns the form of the snow cube of a grid. */
export function snowCubeSpec({ width, height }: Grid): CubeSpec {
  return { width, height, sampleType: 'int16' };
}

/** Returns the scenes of a collection that show snow; empty if its masks never told any. */
export async function snowScenes(
  cube: Pick<CubeStore, 'scenes'>,
  collectionId: string,
): Promise<readonly CubeScene[]> {
  return (await unlessMissing(cube.scenes(snowCubeId(collectionId)))) ?? [];
}

/**
 * Stores where a scene shows snow, in place of what an earlier version of the scene showed. It is on disk when the
 * promise resolves. Must be called before the samples of the scene are stored, so that no stored scene lacks its snow
 * after a crash.
 */
export async function writeSnow(
  cube: CubeStore,
  { id, grid }: { readonly id: string; readonly grid: Grid },
  scene: { readonly key: string; readonly timeMs: number },
  snow: PixelSet,
): Promise<void> {
  const cubeId = snowCubeId(id);
  const known = await unlessMissing(cube.scenes(cubeId));
  if (snow.isEmpty) {
    if (known?.some(({ key }) => key === scene.key)) await cube.removeScenes(cubeId, [scene.key]);
    return;
  }
  if (known === undefined) await cube.create(cubeId, snowCubeSpec(grid));
  const samples = new Int16Array(grid.width * grid.height).fill(NO_SNOW);
  snow.mark(samples, SNOW);
  await cube.append(cubeId, scene, samples);
}

/** Returns the ids of the cubes of a collection: the cube of its samples, and the snow cube if there is one. */
export async function cubesOf(
  cube: Pick<CubeStore, 'scenes'>,
  collectionId: string,
): Promise<readonly string[]> {
  const snow = snowCubeId(collectionId);
  // A damaged snow cube exists too: only a missing one is left out.
  const isThere = await cube.scenes(snow).then(
    () => true,
    (error: unknown) => !(error instanceof NotFound),
  );
  return isThere ? [collectionId, snow] : [collectionId];
}

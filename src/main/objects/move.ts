import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NotFound } from '../../base/errors.ts';
import type { ObjectsMove } from '../../cli/backups/objects-move.ts';
import type { Config } from '../../config.ts';
import { MOVED_NAME } from '../../cube/manifest.ts';
import { MovingCubeStore } from '../../cube/moving/moving-cube-store.ts';
import { InstalledCatalogue } from '../../sources/layers/installed-catalogue.ts';
import type { MovingLayers } from '../../sources/layers/moving-layers.ts';
import { CUBES, type OpenCubes, objectsPlace } from './cubes.ts';
import { MoveNote } from './move-note.ts';

/** The move of cubes and layers to the bucket; undefined when the settings do not say that they are moved. */
export function objectsMove(
  config: Pick<Config, 'dataFolder' | 'objects' | 'caFile'>,
  cube: OpenCubes,
  layers: MovingLayers | undefined,
): ObjectsMove | undefined {
  const { dataFolder, objects } = config;
  if (!(cube instanceof MovingCubeStore) || layers === undefined || objects === undefined) return undefined;
  const folder = join(dataFolder, CUBES);
  /** The cubes whose files are in the folder, moved or not. */
  const cubes = async (isMoved: boolean): Promise<readonly string[]> => {
    const names = (await readdir(folder).catch(() => [])).filter((name) => !name.includes('.'));
    return names
      .filter((name) => existsSync(join(folder, name, MOVED_NAME)) === isMoved)
      .map(decodeURIComponent);
  };
  return {
    left: () => cubes(false),
    moveCube: (cubeId) => cube.move(cubeId),
    moveLayers: () => layers.move(),
    moved: () => cubes(true),
    async removeSource(cubeId) {
      const damage = await cube.objects.check(cubeId).catch((error: unknown) => {
        if (!(error instanceof NotFound)) throw error;
        return [error.message];
      });
      if (damage.length === 0) await cube.folder.remove(cubeId);
      return damage;
    },
    async end() {
      await rm(new InstalledCatalogue(layers.folder.catalogue).movedPath, { force: true });
      const note = new MoveNote(objectsPlace(config, objects));
      await note.remove();
      await note.close();
    },
  };
}

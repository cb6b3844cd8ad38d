import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectsMove } from '../../cli/backups/objects-move.ts';
import type { Config } from '../../config.ts';
import { MOVED_NAME } from '../../cube/manifest.ts';
import { MovingCubeStore } from '../../cube/moving/moving-cube-store.ts';
import { movedFrom } from '../../cube/moving/moved-cubes.ts';
import { ObjectFiles } from '../../net/object-files.ts';
import { S3Objects } from '../../net/s3-objects.ts';
import { InstalledCatalogue } from '../../sources/layers/installed-catalogue.ts';
import { LAYER_FILES } from '../../sources/layers/layer-home.ts';
import type { MovingLayers } from '../../sources/layers/moving-layers.ts';
import { CACHE, CUBES, type OpenCubes, objectsPlace } from './cubes.ts';
import { MoveNote } from './move-note.ts';

/** The move of cubes and layers; undefined when the settings do not say that they are moved. */
export function objectsMove(
  config: Pick<Config, 'dataFolder' | 'objects' | 'objectsFrom' | 'caFile'>,
  cube: OpenCubes,
  layers: MovingLayers | undefined,
): ObjectsMove | undefined {
  const { dataFolder, objects, objectsFrom: from } = config;
  const moves = movesOf(config);
  if (!(cube instanceof MovingCubeStore) || layers === undefined || moves === undefined) return undefined;
  const parts = {
    ...moves,
    moveCube: (cubeId: string) => cube.move(cubeId),
    moveLayers: () => layers.move(),
    removeSource: (cubeId: string) => cube.removeSource(cubeId),
  };
  if (objects !== undefined) {
    return {
      ...parts,
      async end() {
        await rm(new InstalledCatalogue(layers.folder.catalogue).movedPath, { force: true });
        const note = new MoveNote(objectsPlace(config, objects));
        await note.remove();
        await note.close();
      },
    };
  }
  if (from === undefined || from === 'folder') return undefined;
  return {
    ...parts,
    async end() {
      await inBucket(config, from, (bucket) => new ObjectFiles(bucket, LAYER_FILES).drop(() => true));
      await rm(join(dataFolder, CACHE), { recursive: true, force: true });
    },
  };
}

/** Where cubes are moved from, and which are still there; undefined when the settings do not say that they are moved. */
export function movesOf(
  config: Pick<Config, 'dataFolder' | 'objects' | 'objectsFrom' | 'caFile'>,
): Pick<ObjectsMove, 'source' | 'left' | 'moved'> | undefined {
  const { objects, objectsFrom: from } = config;
  if (from === undefined) return undefined;
  if (objects !== undefined)
    return {
      source: 'the data folder',
      left: () => cubesIn(config, false),
      moved: () => cubesIn(config, true),
    };
  if (from === 'folder') return undefined;
  return {
    source: 'the bucket',
    left: () => inBucket(config, from, (bucket) => movedFrom(bucket, false)),
    moved: () => inBucket(config, from, (bucket) => movedFrom(bucket, true)),
  };
}

async function inBucket<T>(
  config: Pick<Config, 'caFile'>,
  at: NonNullable<Config['objects']>,
  work: (bucket: S3Objects) => Promise<T>,
): Promise<T> {
  const bucket = new S3Objects(objectsPlace(config, at));
  try {
    return await work(bucket);
  } finally {
    await bucket.close();
  }
}

/** The cubes that are in the data folder, or that were moved from it and whose files are still there. */
export async function cubesIn(
  { dataFolder }: Pick<Config, 'dataFolder'>,
  isMoved: boolean,
): Promise<readonly string[]> {
  const folder = join(dataFolder, CUBES);
  const names = (await readdir(folder).catch(() => [])).filter((name) => !name.includes('.'));
  return names
    .filter((name) => existsSync(join(folder, name, MOVED_NAME)) === isMoved)
    .map(decodeURIComponent);
}

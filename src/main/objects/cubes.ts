import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { Config } from '../../config.ts';
import { FolderCubeStore } from '../../cube/folder-cube-store.ts';
import { ObjectCubeStore } from '../../cube/objects/object-cube-store.ts';
import { MovingCubeStore } from '../../cube/moving/moving-cube-store.ts';
import type { S3Place } from '../../net/s3-objects.ts';
import { extraAuthorities } from '../authorities.ts';
import { MoveNote } from './move-note.ts';

/** Folder of the cubes, and that of the copies of cubes in objects, in the data folder. */
export const CUBES = 'cubes';
const CACHE = 'objects-cache';

/** Cubes where the settings say. */
export type OpenCubes = FolderCubeStore | ObjectCubeStore | MovingCubeStore;

/** Folder in which this machine has cubes or copies of them. It exists from the first start on. */
export function cubesFolder({
  dataFolder,
  objects,
  objectsFrom,
}: Pick<Config, 'dataFolder' | 'objects' | 'objectsFrom'>): string {
  return join(dataFolder, objects === undefined || objectsFrom === 'folder' ? CUBES : CACHE);
}

/**
 * Opens the cubes where the settings say.
 * @throws InvalidInput when the data folder or the bucket shows that the cubes of this installation are elsewhere
 */
export async function openCubes(
  config: Pick<Config, 'dataFolder' | 'objects' | 'objectsFrom' | 'caFile'>,
): Promise<OpenCubes> {
  const { dataFolder, objects } = config;
  const [folder, cache] = [join(dataFolder, CUBES), join(dataFolder, CACHE)];
  if (objects === undefined) {
    if (existsSync(cache))
      throw new InvalidInput(
        `GROUNDWATCH_OBJECTS: expected the bucket that has the cubes of this installation, got nothing; ` +
          `${cache} has copies of them. Delete that folder if the cubes are no longer wanted`,
      );
    return new FolderCubeStore(folder);
  }
  const at = { place: objectsPlace(config, objects), cache, cacheBytes: objects.cacheBytes };
  const here = await readdir(folder).catch(() => []);
  const isMoving = config.objectsFrom === 'folder';
  if (here.length > 0 && !isMoving)
    throw new InvalidInput(
      `GROUNDWATCH_OBJECTS: expected a data folder without cubes, got ${here.length} in ${folder}; ` +
        'to move them, set GROUNDWATCH_OBJECTS_FROM=folder and run groundwatch objects move',
    );
  const note = new MoveNote(at.place);
  try {
    if (isMoving && here.length > 0) await note.put(folder);
    if (!isMoving) await note.refuse();
  } finally {
    await note.close();
  }
  return isMoving ? new MovingCubeStore({ folder, objects: at }) : new ObjectCubeStore(at);
}

/** The place of the objects, as their client takes it. */
export function objectsPlace(
  config: Pick<Config, 'caFile'>,
  { endpoint, bucket, prefix, region, credentials }: NonNullable<Config['objects']>,
): S3Place {
  return {
    endpoint,
    bucket,
    prefix,
    region,
    credentials,
    extraCa: extraAuthorities(config),
  };
}

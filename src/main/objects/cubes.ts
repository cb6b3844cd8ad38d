import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { Config } from '../../config.ts';
import { FolderCubeStore } from '../../cube/folder-cube-store.ts';
import { ObjectCubeStore } from '../../cube/objects/object-cube-store.ts';
import type { S3Place } from '../../net/s3-objects.ts';
import { extraAuthorities } from '../authorities.ts';

/** Folder of the cubes, and that of the copies of cubes in objects, in the data folder. */
export const CUBES = 'cubes';
const CACHE = 'objects-cache';

/** Folder in which this machine has cubes or copies of them. It exists from the first start on. */
export function cubesFolder({ dataFolder, objects }: Pick<Config, 'dataFolder' | 'objects'>): string {
  return join(dataFolder, objects === undefined ? CUBES : CACHE);
}

/**
 * Opens the cubes where the settings say.
 * @throws InvalidInput when the data folder shows that the cubes of this installation are elsewhere
 */
export async function openCubes(
  config: Pick<Config, 'dataFolder' | 'objects' | 'caFile'>,
): Promise<FolderCubeStore | ObjectCubeStore> {
  const { dataFolder, objects } = config;
  const cache = join(dataFolder, CACHE);
  if (objects === undefined) {
    if (existsSync(cache))
      throw new InvalidInput(
        `GROUNDWATCH_OBJECTS: expected the bucket that has the cubes of this installation, got nothing; ` +
          `${cache} has copies of them. Delete that folder if the cubes are no longer wanted`,
      );
    return new FolderCubeStore(join(dataFolder, CUBES));
  }
  const here = await readdir(join(dataFolder, CUBES)).catch(() => []);
  if (here.length > 0)
    throw new InvalidInput(
      `GROUNDWATCH_OBJECTS: expected a data folder without cubes, got ${here.length} in ` +
        `${join(dataFolder, CUBES)}; cubes are not moved to a bucket by themselves`,
    );
  return new ObjectCubeStore({
    place: objectsPlace(config, objects),
    cache,
    cacheBytes: objects.cacheBytes,
  });
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

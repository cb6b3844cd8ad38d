import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { Config } from '../../config.ts';
import { FolderCubeStore } from '../../cube/folder-cube-store.ts';
import { makeRoom } from '../../cube/objects/cached-copies.ts';
import { ObjectCubeStore } from '../../cube/objects/object-cube-store.ts';
import { MovingCubeStore } from '../../cube/moving/moving-cube-store.ts';
import type { S3Place } from '../../net/s3-objects.ts';
import { extraAuthorities } from '../authorities.ts';
import { MoveNote } from './move-note.ts';

/** Folder of the cubes, and that of the copies of cubes in objects, in the data folder. */
export const CUBES = 'cubes';
export const CACHE = 'objects-cache';

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
  const { dataFolder, objects, objectsFrom: from } = config;
  const [folder, cache] = [join(dataFolder, CUBES), join(dataFolder, CACHE)];
  const objectsAt = (settings: NonNullable<Config['objects']>) => ({
    place: objectsPlace(config, settings),
    cache,
    cacheBytes: settings.cacheBytes,
  });
  if (objects === undefined) {
    if (from !== undefined && from !== 'folder')
      return new MovingCubeStore({ folder, objects: objectsAt(from), to: 'folder' });
    if (existsSync(cache))
      throw new InvalidInput(
        `GROUNDWATCH_OBJECTS: expected the bucket that has the cubes of this installation, got nothing; ` +
          `${cache} has copies of them. To move them, set GROUNDWATCH_OBJECTS_FROM to that bucket and run groundwatch ` +
          'objects move. Delete that folder if the cubes are no longer wanted',
      );
    return new FolderCubeStore(folder);
  }
  const at = objectsAt(objects);
  const here = await readdir(folder).catch(() => []);
  if (here.length > 0 && from === undefined)
    throw new InvalidInput(
      `GROUNDWATCH_OBJECTS: expected a data folder without cubes, got ${here.length} in ${folder}; ` +
        'to move them, set GROUNDWATCH_OBJECTS_FROM=folder and run groundwatch objects move',
    );
  const note = new MoveNote(at.place);
  try {
    if (from === undefined) await note.refuse();
    else if (here.length > 0) await note.put(folder);
  } finally {
    await note.close();
  }
  return from === undefined
    ? new ObjectCubeStore(at)
    : new MovingCubeStore({ folder, objects: at, to: 'objects' });
}

/**
 * Deletes copies of cubes if the disk of the data folder is full, as after a process that was killed: a start writes to it.
 */
export async function makeRoomForStart({
  dataFolder,
  objects,
  objectsFrom,
}: Pick<Config, 'dataFolder' | 'objects' | 'objectsFrom'>): Promise<void> {
  const settings = objects ?? (objectsFrom === 'folder' ? undefined : objectsFrom);
  if (settings !== undefined) await makeRoom({ cache: join(dataFolder, CACHE), cacheBytes: Infinity }); // not what a trim deletes later
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

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { Config } from '../../config.ts';
import { ObservedObjects } from '../../cube/objects/observed-objects.ts';
import { S3Objects } from '../../net/s3-objects.ts';
import { folderLayers, type LayerHome, objectLayers } from '../../sources/layers/layer-home.ts';
import { type MovingLayers, movingLayers } from '../../sources/layers/moving-layers.ts';
import { objectsPlace } from './cubes.ts';

/** Folder of the layers in the data folder. */
export const LAYERS = 'layers';

/** Installed layers, and what closes them. */
export interface OpenLayers {
  readonly home: LayerHome;
  /** The same, while they are moved to a bucket. */
  readonly moving?: MovingLayers | undefined;
  close(): Promise<void>;
}

/**
 * Opens the installed layers where the settings say.
 * @throws InvalidInput when the data folder has installed layers and the settings name a bucket
 */
export function openLayers(
  config: Pick<Config, 'dataFolder' | 'objects' | 'objectsFrom' | 'caFile'>,
): OpenLayers {
  const { dataFolder, objectsFrom: from } = config;
  const settings = config.objects ?? (from === 'folder' ? undefined : from);
  const folder = join(dataFolder, LAYERS);
  const inFolder = folderLayers(folder);
  if (settings === undefined) return { home: inFolder, close: () => Promise.resolve() };
  const isMoving = from !== undefined;
  if (!isMoving && existsSync(inFolder.folder.catalogue))
    throw new InvalidInput(
      `GROUNDWATCH_OBJECTS: expected a data folder without installed layers, got ${inFolder.folder.catalogue}; ` +
        'to move them, set GROUNDWATCH_OBJECTS_FROM=folder and run groundwatch objects move. If the layers are not ' +
        'wanted, delete that file',
    );
  const objects = new ObservedObjects(new S3Objects(objectsPlace(config, settings)));
  const moving = isMoving
    ? movingLayers(folder, objects, from === 'folder' ? 'objects' : 'folder')
    : undefined;
  return { home: moving ?? objectLayers(folder, objects), moving, close: () => objects.close() };
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidInput } from '../../base/errors.ts';
import type { Config } from '../../config.ts';
import { ObservedObjects } from '../../cube/objects/observed-objects.ts';
import { S3Objects } from '../../net/s3-objects.ts';
import { folderLayers, type LayerHome, objectLayers } from '../../sources/layers/layer-home.ts';
import { objectsPlace } from './cubes.ts';

/** Folder of the layers in the data folder. */
export const LAYERS = 'layers';

/** Installed layers, and what closes them. */
export interface OpenLayers {
  readonly home: LayerHome;
  close(): Promise<void>;
}

/**
 * Opens the installed layers where the settings say.
 * @throws InvalidInput when the data folder has installed layers and the settings name a bucket
 */
export function openLayers(config: Pick<Config, 'dataFolder' | 'objects' | 'caFile'>): OpenLayers {
  const { dataFolder, objects: settings } = config;
  const folder = join(dataFolder, LAYERS);
  const inFolder = folderLayers(folder);
  if (settings === undefined) return { home: inFolder, close: () => Promise.resolve() };
  if (existsSync(inFolder.folder.catalogue))
    throw new InvalidInput(
      `GROUNDWATCH_OBJECTS: expected a data folder without installed layers, got ${inFolder.folder.catalogue}; ` +
        'layers are not moved to a bucket by themselves: make a backup without the setting, and restore it with the ' +
        'setting into an empty data folder and database. If the layers are not wanted, delete that file',
    );
  const objects = new ObservedObjects(new S3Objects(objectsPlace(config, settings)));
  return { home: objectLayers(folder, objects), close: () => objects.close() };
}

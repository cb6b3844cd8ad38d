import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstalledLayer } from '../../app/layers/layer-shelf.ts';
import type { Config } from '../../config.ts';
import { S3Objects } from '../../net/s3-objects.ts';
import { filesOf, folderLayers, objectLayers } from '../../sources/layers/layer-home.ts';
import { objectsPlace } from './cubes.ts';
import { LAYERS } from './layers.ts';

/** The installed layers of a backup that is restored, on their way into the bucket of the settings. */
export class RestoredLayers {
  readonly #folder: string;
  readonly #objects: S3Objects | undefined;
  readonly #layers: readonly InstalledLayer[];

  private constructor(folder: string, objects: S3Objects | undefined, layers: readonly InstalledLayer[]) {
    this.#folder = folder;
    this.#objects = objects;
    this.#layers = layers;
  }

  /**
   * Writes the files of the layers to the bucket. Other nodes do not see them yet. Without a bucket, layers stay in the
   * data folder.
   */
  static async prepare(config: Pick<Config, 'objects' | 'caFile' | 'dataFolder'>): Promise<RestoredLayers> {
    const folder = join(config.dataFolder, LAYERS);
    if (config.objects === undefined) return new RestoredLayers(folder, undefined, []);
    const objects = new S3Objects(objectsPlace(config, config.objects));
    try {
      const layers = await folderLayers(folder).catalogue.read();
      const home = objectLayers(folder, objects);
      for (const file of filesOf(layers)) await home.share(file);
      return new RestoredLayers(folder, objects, layers);
    } catch (error) {
      await objects.close();
      throw error;
    }
  }

  /** Makes the installed layers of the bucket be those of the backup. */
  async publish(): Promise<void> {
    if (this.#objects === undefined) return;
    await objectLayers(this.#folder, this.#objects).catalogue.update(() => this.#layers);
  }

  /** Deletes the catalogue from the data folder. The files stay as copies of this node. */
  async tidy(): Promise<void> {
    if (this.#objects === undefined) return;
    await rm(folderLayers(this.#folder).folder.catalogue, { force: true });
  }

  async close(): Promise<void> {
    await this.#objects?.close();
  }
}

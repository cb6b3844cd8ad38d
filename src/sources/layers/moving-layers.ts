import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstalledLayer } from '../../app/layers/layer-shelf.ts';
import { replaceFile } from '../../base/durable-file.ts';
import { InvalidInput } from '../../base/errors.ts';
import { ObjectFiles } from '../../net/object-files.ts';
import type { ObjectStore } from '../../net/object-store.ts';
import {
  catalogueText,
  InstalledCatalogue,
  type LayerCatalogue,
  LayersMoved,
} from './installed-catalogue.ts';
import { ObjectCatalogue } from './object-catalogue.ts';
import { filesOf, folderLayers, type LayerHome, LAYER_FILES, objectLayers } from './layer-home.ts';

/** Installed layers while they are moved from a folder to objects, or back: all of them are at one of the two places. */
export interface MovingLayers extends LayerHome {
  /** Whether they are in the folder. */
  isInFolder(): boolean;
  /**
   * Copies the layers and reads the copies back; then, before the catalogue changes, what has been added meanwhile. From
   * then on they are at the other place. May be repeated after an interruption at any moment.
   * @returns the number of files
   * @throws InvalidInput when the other place has other layers
   */
  move(): Promise<number>;
}

/**
 * @param path folder of the layers
 * @param to where they are moved
 */
export function movingLayers(
  path: string,
  objects: ObjectStore,
  to: 'objects' | 'folder' = 'objects',
): MovingLayers {
  const [inFolder, inObjects] = [folderLayers(path), objectLayers(path, objects)];
  const { folder } = inFolder;
  const [here, there] = [
    new InstalledCatalogue(folder.catalogue),
    new ObjectCatalogue(objects, inObjects.catalogue.path),
  ];
  const isInFolder = (): boolean => existsSync(here.path);
  /** Does work where the layers are, and again at the other place when they were moved meanwhile. */
  const where = async <T>(work: (home: LayerHome) => Promise<T>): Promise<T> => {
    if (isInFolder())
      try {
        return await work(inFolder);
      } catch (error) {
        if (isInFolder()) throw error;
      }
    try {
      return await work(inObjects);
    } catch (error) {
      if (to !== 'folder' || !(error instanceof LayersMoved)) throw error;
      await here.arrive(await there.leave(() => []));
      return await work(inFolder);
    }
  };
  const catalogue: LayerCatalogue = {
    get path() {
      return (isInFolder() ? inFolder : inObjects).catalogue.path;
    },
    stamp: () => where((home) => home.catalogue.stamp()),
    read: () => where((home) => home.catalogue.read()),
    update: (change) => where((home) => home.catalogue.update(change)),
  };
  return {
    folder,
    catalogue,
    isInFolder,
    isEmpty: () => isInFolder() && inFolder.isEmpty(),
    lookMs: inFolder.lookMs,
    // Also to the objects while the layers are in the folder: they may be moved before the catalogue names the file.
    share: (file) => (to === 'folder' && isInFolder() ? Promise.resolve() : inObjects.share(file)),
    bring: (file) => where((home) => home.bring(file)),
    remove: (file) => where((home) => home.remove(file)),
    sweep: (named) => where((home) => home.sweep(named)),
    keepServed: (layers) => where((home) => home.keepServed(layers)),
    lastServed: () => where((home) => home.lastServed()),
    unchanged: (work) => where((home) => home.unchanged(work)),
    move: () =>
      to === 'objects'
        ? moveLayers(here, there, inObjects, {
            objects,
            files: folder.files,
            sent: join(path, 'moving.json'),
          })
        : returnLayers(here, there, inObjects, new ObjectFiles(objects, LAYER_FILES)),
  };
}

async function moveLayers(
  here: InstalledCatalogue,
  there: ObjectCatalogue,
  home: LayerHome,
  at: {
    readonly objects: ObjectStore;
    readonly files: string;
    /** File with the catalogues that earlier runs may have written to the objects. */
    readonly sent: string;
  },
): Promise<number> {
  if (!existsSync(here.path) && existsSync(here.movedPath)) return 0;
  const files = new ObjectFiles(at.objects, LAYER_FILES);
  const copied = new Set<string>();
  const copy = async (layers: readonly InstalledLayer[]): Promise<void> => {
    for (const file of filesOf(layers)) {
      if (copied.has(file)) continue;
      await home.share(file);
      await files.compare(file, join(at.files, file));
      copied.add(file);
    }
  };
  await copy(await here.read());
  await here.leave(async (layers) => {
    if (!existsSync(here.path)) return;
    await copy(layers);
    const sent = await readFile(at.sent, 'utf8').catch(() => '[]');
    const replace = async (found: readonly InstalledLayer[]): Promise<readonly InstalledLayer[]> => {
      const former = catalogueText(found);
      if (found.length > 0 && !(JSON.parse(sent) as readonly string[]).includes(former))
        throw new InvalidInput(`${there.path}: the bucket has other layers, such as ${nameOf(found[0]!)}`);
      await replaceFile(at.sent, JSON.stringify([former, catalogueText(layers)]));
      return layers;
    };
    await there.update(replace, true);
  });
  return copied.size;
}

async function returnLayers(
  here: InstalledCatalogue,
  there: ObjectCatalogue,
  home: LayerHome,
  files: ObjectFiles,
): Promise<number> {
  if (existsSync(here.path)) return 0;
  const copied = new Set<string>();
  const layers = await there.leave(async (found) => {
    for (const file of filesOf(found)) {
      if (copied.has(file)) continue;
      await home.bring(file);
      await files.compare(file, join(home.folder.files, file));
      copied.add(file);
    }
    return found;
  });
  await here.arrive(layers);
  return copied.size;
}

function nameOf({ card }: InstalledLayer): string {
  return `${card.layer} ${card.version}`;
}

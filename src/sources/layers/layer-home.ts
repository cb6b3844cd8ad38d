import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { swapFile } from '../../base/durable-file.ts';
import { InvalidInput, UpstreamUnavailable } from '../../base/errors.ts';
import type { InstalledLayer } from '../../app/layers/layer-shelf.ts';
import { ObjectFiles } from '../../net/object-files.ts';
import type { ObjectStore } from '../../net/object-store.ts';
import { roomIn } from './band-writer.ts';
import { catalogueText, InstalledCatalogue, type LayerCatalogue, layersIn } from './installed-catalogue.ts';
import { layerFolder, type LayerFolder } from './layer-folder.ts';
import { ObjectCatalogue } from './object-catalogue.ts';

/**
 * Minimum age of a file that is not in the catalogue before it is removed [ms]: a newer file may belong to an
 * installation in progress.
 */
const ORPHAN_AGE_MS = 3_600_000;
/** The same for files in objects [ms]: a day, since the parts of a large file are written one after the other. */
const OBJECT_ORPHAN_AGE_MS = 86_400_000;
/** Beginning of the names of the objects with the files of layers. */
export const LAYER_FILES = 'layers/files/';
/** Attempts to find a state of the catalogue that does not change while its files are fetched. */
const TRIES = 20;

/** Where installed layers are: their catalogue, and their files, which all nodes share and each has on its disk. */
export interface LayerHome {
  /** Folders of this node. */
  readonly folder: LayerFolder;
  readonly catalogue: LayerCatalogue;
  /** Whether it is plain that no layer was ever installed. */
  isEmpty(): boolean;
  /** Interval between looks at the catalogue [ms]. */
  readonly lookMs: number;
  /** Gives a finished file of this node to all nodes. It is durable when the promise resolves. */
  share(file: string): Promise<void>;
  /**
   * Makes sure that this node has a file.
   * @returns false when there is no such file
   * @throws InvalidInput when the disk has too little room
   */
  bring(file: string): Promise<boolean>;
  /** Deletes a file, here and for all nodes. Does nothing when there is none. */
  remove(file: string): Promise<void>;
  /** Deletes what crashes left behind, here and for all nodes: old files that are not named. */
  sweep(named: ReadonlySet<string>): Promise<void>;
  /** Remembers what this node serves now, and deletes files of this node that other nodes removed from the catalogue. */
  keepServed(layers: readonly InstalledLayer[]): Promise<void>;
  /** What this node served last; undefined when that is not needed or not known. */
  lastServed(): Promise<readonly InstalledLayer[] | undefined>;
  /** Runs work on a state of the catalogue all of whose files are on the disk of this node. */
  unchanged<T>(work: (layers: readonly InstalledLayer[]) => Promise<T>): Promise<T>;
}

/** Layers in a folder that all nodes share. */
export function folderLayers(path: string): LayerHome {
  const folder = layerFolder(path);
  const catalogue = new InstalledCatalogue(folder.catalogue);
  return {
    folder,
    catalogue,
    isEmpty: () => !existsSync(folder.catalogue),
    lookMs: 1000,
    share: () => Promise.resolve(),
    bring: (file) => Promise.resolve(existsSync(join(folder.files, file))),
    remove: (file) => removeFile(folder, file),
    sweep: (named) => removeOrphans(folder, named),
    keepServed: () => Promise.resolve(),
    lastServed: () => Promise.resolve(undefined),
    unchanged: (work) => catalogue.unchanged(work),
  };
}

/**
 * Layers in objects below `layers/`. A node fetches the files of the catalogue to its folder.
 * @param path folder of this node, which can be lost at any time
 */
export function objectLayers(path: string, objects: ObjectStore): LayerHome {
  const folder = layerFolder(path);
  const catalogue = new ObjectCatalogue(objects, 'layers/catalogue.json');
  const files = new ObjectFiles(objects, LAYER_FILES);
  const served = join(path, 'served.json');
  const bring = async (file: string): Promise<boolean> => {
    const to = join(folder.files, file);
    if (existsSync(to)) return true;
    const size = await files.sizeOf(file);
    if (size === undefined) return false;
    await mkdir(folder.files, { recursive: true, mode: 0o700 });
    const room = await roomIn(folder.files);
    if (size > room)
      throw new InvalidInput(
        `it needs ${(size / 1e6).toFixed(1)} MB of disk; the data folder has ${(Math.max(room, 0) / 1e6).toFixed(1)} MB for layers`,
      );
    return await files.fetch(file, to);
  };
  return {
    folder,
    catalogue,
    isEmpty: () => false,
    lookMs: 2000,
    share: (file) => files.keep(file, join(folder.files, file)),
    bring,
    async remove(file) {
      await files.drop(({ name }) => name === file, `${file}/`);
      await removeFile(folder, file);
    },
    async sweep(named) {
      await files.drop(({ name, ageMs }) => !named.has(name) && ageMs > OBJECT_ORPHAN_AGE_MS);
      await removeOrphans(folder, named);
    },
    async keepServed(layers) {
      await mkdir(path, { recursive: true, mode: 0o700 });
      await swapFile(served, catalogueText(layers));
      await removeOrphans(folder, new Set(filesOf(layers)));
    },
    async lastServed() {
      const text = await readFile(served, 'utf8').catch(() => undefined);
      return text === undefined ? undefined : await layersIn(text, served);
    },
    async unchanged(work) {
      for (let tries = 0; tries < TRIES; tries++) {
        const stamp = await catalogue.stamp();
        const layers = await catalogue.read();
        for (const file of filesOf(layers)) await bring(file);
        if ((await catalogue.stamp()) === stamp) return await work(layers);
      }
      throw new UpstreamUnavailable(`${catalogue.path} changes all the time: try again`);
    },
  };
}

/** Names of the files of some layers. */
export function filesOf(layers: readonly InstalledLayer[]): string[] {
  return layers.flatMap(({ pieces }) => pieces.map(({ file }) => file));
}

async function removeFile(folder: LayerFolder, file: string): Promise<void> {
  // On Windows an open file cannot be removed. It becomes an orphan and is removed later.
  await rm(join(folder.files, file), { force: true }).catch(() => undefined);
}

/** Removes the files of a folder that crashes left behind. */
async function removeOrphans(folder: LayerFolder, named: ReadonlySet<string>): Promise<void> {
  for (const file of await readdir(folder.files).catch(() => [])) {
    if (named.has(file)) continue;
    const age = await stat(join(folder.files, file)).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > ORPHAN_AGE_MS) await removeFile(folder, file);
  }
}

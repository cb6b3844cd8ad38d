import { InvalidInput, UpstreamUnavailable } from '../../base/errors.ts';
import type { Deps } from '../deps.ts';
import { removeCubes } from '../imagery/manage-collections.ts';
import {
  findSamePiece,
  findVersion,
  isSameVersion,
  layerVersionName,
  withPiece,
} from '../layers/installed-layer.ts';
import type { LayerShelf, StoredBand } from '../layers/layer-shelf.ts';
import type { Environment } from '../owner.ts';
import { colourCubeId } from '../series/colour-cube.ts';
import type { Collection } from '../series/collection-store.ts';
import { snowCubeId } from '../series/snow-cube.ts';
import type { BundledCollection, BundledCube, BundleManifest, BundleParts } from './bundle.ts';
import {
  collectionOf,
  freshLayer,
  named,
  pieceOf,
  recordCollections,
  recordPieces,
  requestOf,
  type Target,
} from './bundle-records.ts';
import { type BundleSource, readBundle, specOf } from './read-bundle.ts';

type ImportDeps = Pick<Deps, 'storage' | 'cube' | 'clock'> & BundleParts & { readonly shelf: LayerShelf };

/** Whose the content of a bundle becomes. */
export interface ImportRequest extends BundleSource {
  readonly environment: Environment;
  /** Account that the collections become private to; null: all accounts of the environment can read them. */
  readonly accountId: string | null;
}

/** What an import did. */
export interface ImportedBundle {
  /** Collections that are new here. */
  readonly collections: readonly Collection[];
  /** Names of those that were there already, with the same scenes. */
  readonly present: readonly string[];
  readonly scenes: number;
  /** Versions of layers that got pieces, and the number of these. */
  readonly layers: readonly string[];
  readonly pieces: number;
  readonly signedBy: string;
  readonly box: readonly number[];
}

/**
 * Takes a bundle in. All of it is checked before anything is written. Collections and their scenes become visible in
 * one step when all their samples are on the disk, then the pieces of layers in another. What an import leaves that was
 * killed is removed by the next one; the same import can be repeated.
 * @throws InvalidInput when the bundle is damaged or altered, or has a name that is taken here by something else
 */
export async function importBundle(
  deps: ImportDeps,
  request: ImportRequest,
  progress: (done: number, total: number) => void,
): Promise<ImportedBundle> {
  await removeLeft(deps);
  const manifest = await checked(deps, request);
  const target = await targetOf(deps, request, manifest);
  const fresh = target.collections.filter((one) => one !== undefined);
  const entry = await deps.importJournal.begin(fresh.map(({ id }) => id));
  const stored: StoredBand[] = [];
  let committed = false;
  try {
    const { files, signedBy } = await writeContent(deps, request, manifest, target, stored, progress);
    if (!(await deps.importJournal.isHeld(entry)))
      throw new UpstreamUnavailable(
        'This import was silent for so long that another one removed it: run it again',
      );
    await recordCollections(deps, manifest, target);
    committed = true;
    const added = files.size === 0 ? [] : await recordPieces(deps, request, manifest, files);
    return {
      collections: fresh,
      present: manifest.collections.filter((_, i) => target.collections[i] === undefined).map(named),
      scenes: manifest.collections.reduce(
        (sum, { scenes }, i) => sum + (target.collections[i] === undefined ? 0 : scenes.length),
        0,
      ),
      layers: added,
      pieces: files.size,
      signedBy,
      box: manifest.box,
    };
  } catch (error) {
    if (!committed) for (const { id } of fresh) await removeCubes(deps, id);
    for (const band of stored) await deps.shelf.discard(band);
    throw error;
  } finally {
    await deps.importJournal.end(entry);
  }
}

/** Removes the cubes of imports that were killed before their collections were recorded. */
async function removeLeft(deps: ImportDeps): Promise<void> {
  for (const { id, collectionIds } of await deps.importJournal.left()) {
    for (const collectionId of collectionIds)
      if ((await deps.storage.collections.find(collectionId)) === undefined)
        await removeCubes(deps, collectionId);
    await deps.importJournal.end(id);
  }
}

/** Reads the whole bundle without writing anything. */
async function checked(deps: ImportDeps, request: ImportRequest): Promise<BundleManifest> {
  let manifest: BundleManifest | undefined;
  await readBundle(deps.bundleFiles, request, deps.clock.now(), {
    manifest: (found) => void (manifest = found),
    scene: () => undefined,
    async piece(_, content) {
      for await (const part of content) void part;
    },
  });
  return manifest!;
}

/** Decides what is new. @throws InvalidInput when a name is taken by something else */
async function targetOf(
  { storage, shelf }: ImportDeps,
  { environment, accountId }: ImportRequest,
  manifest: BundleManifest,
): Promise<Target> {
  const collections: (Collection | undefined)[] = [];
  for (const entry of manifest.collections) {
    const there = await storage.collections.byName(environment, accountId, entry.name);
    const stations = await storage.stations.byName(environment, accountId, entry.name);
    const same = there.find(({ metric }) => metric === entry.metric);
    const isSame = same !== undefined && (await hasSameScenes(storage, same, entry));
    if (stations.length > 0 || (there.length > 0 && !isSame))
      throw new InvalidInput(
        `FILE: the collection ${named(entry)} conflicts with ${entry.name}, which is here already with other content: ` +
          'remove that one (collections remove), or import for another --account or --environment',
      );
    collections.push(isSame ? undefined : collectionOf(entry, environment, accountId));
  }
  const installed = await shelf.installed();
  const shipped = await shelf.shipped();
  const pieces = manifest.layers.map((layer) => {
    if (shipped.some((card) => isSameVersion(card, layer.card)))
      throw new InvalidInput(`FILE: the layer ${layerVersionName(layer.card)} ships with this release`);
    const fresh = freshLayer(layer, environment);
    let known = findVersion(installed, fresh.card, environment);
    return layer.pieces.map((entry) => {
      const piece = pieceOf(entry, '');
      if (known !== undefined && findSamePiece(known, fresh, requestOf(layer), piece) !== undefined)
        return false;
      known =
        known === undefined
          ? { ...fresh, pieces: [piece] }
          : withPiece(known, fresh, requestOf(layer), piece);
      return true;
    });
  });
  return { collections, pieces };
}

async function hasSameScenes(
  storage: ImportDeps['storage'],
  collection: Collection,
  entry: BundledCollection,
): Promise<boolean> {
  const { grid, scale, offset, sampleType } = collection;
  const isSame =
    scale === entry.scale &&
    offset === entry.offset &&
    sampleType === entry.sample_type &&
    grid.width === entry.grid.width &&
    grid.height === entry.grid.height &&
    grid.crs === entry.grid.crs &&
    grid.transform.every((value, i) => value === entry.grid.transform[i]);
  if (!isSame) return false;
  const there = new Map(
    (await storage.collections.scenes(collection.id)).map(({ key, sha256 }) => [key, sha256]),
  );
  return entry.scenes.every(({ key, sha256 }) => there.get(key) === sha256);
}

const cubeIdOf = (id: string, kind: BundledCube['kind']): string =>
  kind === 'samples' ? id : kind === 'snow' ? snowCubeId(id) : colourCubeId(id);

/** Writes samples and files of pieces. Nothing of them is visible yet. */
async function writeContent(
  { bundleFiles, pieceFiles, cube, clock }: ImportDeps,
  request: ImportRequest,
  manifest: BundleManifest,
  target: Target,
  stored: StoredBand[],
  progress: (done: number, total: number) => void,
) {
  const total =
    manifest.collections.reduce(
      (sum, { cubes }) => sum + cubes.reduce((n, one) => n + one.scenes.length, 0),
      0,
    ) + manifest.layers.reduce((sum, { pieces }) => sum + pieces.length, 0);
  let done = 0;
  const files = new Map<string, StoredBand>();
  for (const [i, collection] of target.collections.entries())
    if (collection !== undefined)
      for (const { kind } of manifest.collections[i]!.cubes)
        await cube.create(cubeIdOf(collection.id, kind), specOf(manifest.collections[i]!, kind));
  const signedBy = await readBundle(bundleFiles, request, clock.now(), {
    manifest(again) {
      if (JSON.stringify(again) !== JSON.stringify(manifest))
        throw new InvalidInput(`FILE: ${request.path} changed while it was imported`);
    },
    async scene([i, j, k], samples) {
      const collection = target.collections[i];
      const { kind, scenes } = manifest.collections[i]!.cubes[j]!;
      const { key, time_ms: timeMs, sha256 } = scenes[k]!;
      if (collection !== undefined) {
        const written = await cube.append(cubeIdOf(collection.id, kind), { key, timeMs }, samples);
        if (written.sha256 !== sha256) throw new InvalidInput(`FILE: ${key} was stored with another digest`);
      }
      progress(++done, total);
    },
    async piece([i, j], content) {
      if (target.pieces[i]![j]!) {
        const band = await pieceFiles.take(content, manifest.layers[i]!.pieces[j]!.file.bytes);
        stored.push(band);
        files.set(`${i}/${j}`, band);
      } else for await (const part of content) void part;
      progress(++done, total);
    },
  });
  return { files, signedBy };
}

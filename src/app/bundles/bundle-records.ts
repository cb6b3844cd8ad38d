import { InvalidInput } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { gridBbox, pixelAreaM2 } from '../../geo/pixel-outline.ts';
import type { Deps } from '../deps.ts';
import { findVersion, layerVersionName, withPiece } from '../layers/installed-layer.ts';
import type { InstalledLayer, LayerPiece, LayerShelf, StoredBand } from '../layers/layer-shelf.ts';
import type { Environment } from '../owner.ts';
import type { Collection, Scene } from '../series/collection-store.ts';
import { metricCard } from '../series/metrics.ts';
import type { BundledCollection, BundledLayer, BundleManifest } from './bundle.ts';

type RecordDeps = Pick<Deps, 'storage'> & { readonly shelf: LayerShelf };

/** What the manifest becomes here: undefined where the same is there already. */
export interface Target {
  readonly collections: readonly (Collection | undefined)[];
  readonly pieces: readonly (readonly boolean[])[];
}

/** Name of a collection and its metric, for messages. */
export const named = ({ name, metric }: { readonly name: string; readonly metric: string }): string =>
  `${name} (${metric})`;

/** The collection that an entry becomes. */
export function collectionOf(
  entry: BundledCollection,
  environment: Environment,
  accountId: string | null,
): Collection {
  const { name, metric, scale, offset, grid } = entry;
  return {
    id: newId('collection'),
    environment,
    accountId,
    name,
    metric,
    unit: metricCard(metric).unit,
    scale,
    offset,
    sampleType: entry.sample_type,
    grid,
    pixelAreaM2: pixelAreaM2(grid),
    bounds: gridBbox(grid),
  };
}

/** Records the new collections with their scenes, in one transaction. */
export async function recordCollections(
  { storage }: RecordDeps,
  manifest: BundleManifest,
  { collections }: Target,
): Promise<void> {
  await storage.transaction(async (stores) => {
    for (const [i, collection] of collections.entries()) {
      if (collection === undefined) continue;
      if (!(await stores.collections.create(collection)))
        throw new InvalidInput(`FILE: the collection ${named(collection)} was made meanwhile; import again`);
      const scenes = manifest.collections[i]!.scenes.map((scene): Scene => {
        const colourOf = scene.colour_of === undefined ? undefined : collections[scene.colour_of]?.id;
        return {
          id: newId('scene'),
          key: scene.key,
          href: scene.href,
          observedAt: new Date(scene.observed_ms),
          sha256: scene.sha256,
          clearFraction: scene.clear_fraction,
          ...(scene.reading !== undefined && { reading: scene.reading }),
          ...(colourOf !== undefined && { colourOf }),
        };
      });
      await stores.collections.putScenes(collection.id, scenes);
    }
  });
}

/** Adds the stored pieces to the installed layers, in one step. @returns the versions that got some */
export async function recordPieces(
  { shelf }: RecordDeps,
  { environment }: { readonly environment: Environment },
  { layers }: BundleManifest,
  files: ReadonlyMap<string, StoredBand>,
): Promise<readonly string[]> {
  const added = new Set<string>();
  await shelf.update((before) => {
    added.clear();
    let now = before;
    for (const [i, layer] of layers.entries()) {
      const fresh = freshLayer(layer, environment);
      for (const [j, entry] of layer.pieces.entries()) {
        const band = files.get(`${i}/${j}`);
        if (band === undefined) continue;
        const there = findVersion(now, fresh.card, environment);
        const piece = pieceOf(entry, band.file);
        const after =
          there === undefined
            ? { ...fresh, pieces: [piece] }
            : withPiece(there, fresh, requestOf(layer), piece);
        now = [...now.filter((other) => other !== there), after];
        added.add(layerVersionName(fresh.card));
      }
    }
    return now;
  });
  return [...added];
}

/** The version that an entry becomes, without its pieces. */
export const freshLayer = (
  { card, interpolation }: BundledLayer,
  environment: Environment,
): InstalledLayer => ({
  environment,
  card,
  interpolation,
  pieces: [],
});

/** What a piece states of its version: it must be what the version here has. */
export const requestOf = ({ card }: BundledLayer) => ({
  layer: card.layer,
  version: card.version,
  date: card.date,
  licence: card.licence,
  source: card.source,
  unit: card.unit,
});

/** The piece that an entry becomes, served from a file. */
export const pieceOf = (entry: BundledLayer['pieces'][number], file: string): LayerPiece => ({
  ...entry,
  file,
});

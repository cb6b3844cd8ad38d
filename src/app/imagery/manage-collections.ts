import type { Deps } from '../deps.ts';
import { InvalidInput, NotFound } from '../../base/errors.ts';
import { unlessMissing } from '../series/missing-cube.ts';
import type { PointContent, PointCollection } from '../series/station-store.ts';
import type { Environment } from '../owner.ts';
import type { Collection, Scene } from '../series/collection-store.ts';

type CollectionDeps = Pick<Deps, 'storage' | 'cube'>;

/** How the command line names a collection. */
export interface CollectionName {
  readonly environment: Environment;
  /** Null: it serves every account of its environment. */
  readonly accountId: string | null;
  readonly name: string;
  /** Undefined: all metrics that it holds. */
  readonly metric: string | undefined;
}

/** The metrics of a collection of that name. @throws NotFound when there are none */
export async function collectionsNamed(
  { storage }: Pick<Deps, 'storage'>,
  { environment, accountId, name, metric }: CollectionName,
): Promise<readonly Collection[]> {
  const members = await storage.collections.byName(environment, accountId, name);
  const named = members.filter((member) => metric === undefined || member.metric === metric);
  if (named.length > 0) return named;
  const feeds = await storage.stations.byName(environment, accountId, name);
  const [images, stations] = [members, feeds].map((held) => held.map((member) => member.metric).join(', '));
  throw new NotFound(
    members.length > 0
      ? `The collection ${name} holds no ${metric}, but ${images}`
      : feeds.length > 0
        ? `The collection ${name} holds no images, but ${stations} at stations`
        : `There is no collection ${name} in ${environment}: groundwatch collections list tells which there are`,
  );
}

/** The one metric of a collection that is meant. @throws NotFound, or InvalidInput when it holds several and none is named */
export async function collectionNamed(
  deps: Pick<Deps, 'storage'>,
  name: CollectionName,
): Promise<Collection> {
  const [first, ...others] = await collectionsNamed(deps, name);
  if (others.length === 0) return first!;
  const held = [first!, ...others].map(({ metric }) => metric).join(', ');
  throw new InvalidInput(`--metric: expected one of ${held}, which the collection ${name.name} holds`, {
    param: 'metric',
  });
}

/** What a collection of pixels holds. */
export interface CollectionContent {
  readonly collection: Collection;
  readonly scenes: number;
  /** Times of the first and the last scene [ms since the Unix epoch]; null when there is none. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}

/** Every collection of pixels and what the database says it holds. */
export async function listCollections({
  storage,
}: Pick<Deps, 'storage'>): Promise<readonly CollectionContent[]> {
  const contents: CollectionContent[] = [];
  for (const collection of await storage.collections.list()) {
    const scenes = await storage.collections.scenes(collection.id);
    contents.push({
      collection,
      scenes: scenes.length,
      firstMs: scenes[0]?.observedAt.getTime() ?? null,
      lastMs: scenes.at(-1)?.observedAt.getTime() ?? null,
    });
  }
  return contents;
}

/** Every collection of points, what it holds, and whether it is live and silent. */
export async function listPointCollections({
  storage,
  clock,
}: Pick<Deps, 'storage' | 'clock'>): Promise<
  readonly (PointContent & { readonly collection: PointCollection; readonly isSilent: boolean })[]
> {
  const contents = await storage.stations.contents();
  return (await storage.stations.list()).flatMap((collection) => {
    const content = contents.get(collection.id);
    if (content === undefined) return [];
    return [{ ...content, collection, isSilent: (content.silentAfter?.getTime() ?? Infinity) < clock.now() }];
  });
}

/** Metrics of points of a collection of that name, none of them being no error. */
export async function pointCollectionsNamed(
  { storage }: Pick<Deps, 'storage'>,
  { environment, accountId, name, metric }: CollectionName,
): Promise<readonly PointCollection[]> {
  const members = await storage.stations.byName(environment, accountId, name);
  return members.filter((member) => metric === undefined || member.metric === metric);
}

/** Everything of that name, of pixels and of points. @throws NotFound when there is nothing */
export async function membersNamed(
  deps: Pick<Deps, 'storage'>,
  name: CollectionName,
): Promise<{ readonly rasters: readonly Collection[]; readonly feeds: readonly PointCollection[] }> {
  const feeds = await pointCollectionsNamed(deps, name);
  try {
    return { rasters: await collectionsNamed(deps, name), feeds };
  } catch (error) {
    if (!(error instanceof NotFound) || feeds.length === 0) throw error;
    return { rasters: [], feeds };
  }
}

/** What is wrong with the stored pixels of a collection. */
export interface CollectionDamage {
  /** A sentence for each damaged file, which names it. */
  readonly damage: readonly string[];
  /** Scenes that were taken in and that the store no longer has as they were: they have to be ingested again. */
  readonly missing: readonly string[];
}

/** Reads everything that is stored of a collection, and compares it with the scenes that were taken in. */
export async function checkCollection(
  deps: CollectionDeps,
  collection: Collection,
): Promise<CollectionDamage> {
  const damage = await deps.cube.check(collection.id);
  return { damage, missing: damage.length === 0 ? await missingScenes(deps, collection) : [] };
}

/** Drops what is damaged, and says which scenes have to be ingested again. */
export async function repairCollection(
  deps: CollectionDeps,
  collection: Collection,
): Promise<CollectionDamage> {
  const { width, height } = collection.grid;
  const damage = await deps.cube.repair(collection.id, {
    width,
    height,
    sampleType: collection.sampleType,
  });
  return { damage, missing: await missingScenes(deps, collection) };
}

/** Keys of scenes that are recorded and not stored so, at two looks: of what comes or goes meanwhile only one tells. */
async function missingScenes(deps: CollectionDeps, { id }: Collection): Promise<readonly string[]> {
  const missing = await scenesNotStored(deps, id);
  if (missing.length === 0) return [];
  const again = new Map((await scenesNotStored(deps, id)).map(({ key, sha256 }) => [key, sha256]));
  return missing.filter(({ key, sha256 }) => again.get(key) === sha256).map(({ key }) => key);
}

async function scenesNotStored({ storage, cube }: CollectionDeps, id: string): Promise<readonly Scene[]> {
  // In this order: a scene that comes is stored before it is recorded.
  const recorded = await storage.collections.scenes(id);
  const stored = new Map((await cube.scenes(id)).map(({ key, sha256 }) => [key, sha256]));
  return recorded.filter(({ key, sha256 }) => stored.get(key) !== sha256);
}

/** Removes a collection with its scenes, changes and anomalies. One that was cut short can be asked for again. */
export async function removeCollection({ storage, cube }: CollectionDeps, { id }: Collection): Promise<void> {
  // The pixels first: without its row nobody would find them again.
  await unlessMissing(cube.remove(id)); // another process may remove it just now
  await storage.collections.remove(id);
}

import type { Deps } from '../deps.ts';
import { InvalidInput, NotFound } from '../../base/errors.ts';
import { unlessMissing } from '../series/missing-cube.ts';
import { allCubesOf, colourCubeId, colourCubeSpec } from '../series/colour-cube.ts';
import { snowCubeId, snowCubeSpec } from '../series/snow-cube.ts';
import type { PointContent, PointCollection } from '../series/station-store.ts';
import type { Environment } from '../owner.ts';
import type { Collection, Scene } from '../series/collection-store.ts';

type CollectionDeps = Pick<Deps, 'storage' | 'cube'>;

/** Identifies a collection, as given on the command line. */
export interface CollectionName {
  readonly environment: Environment;
  /** Owner of the collection; null: it serves every account of its environment. */
  readonly accountId: string | null;
  readonly name: string;
  /** Selects one metric; undefined: all metrics of the collection. */
  readonly metric: string | undefined;
}

/** Finds the raster collections of a name, one for each metric. @throws NotFound when there are none */
export async function collectionsNamed(
  { storage }: Pick<Deps, 'storage'>,
  { environment, accountId, name, metric }: CollectionName,
): Promise<readonly Collection[]> {
  const members = await storage.collections.byName(environment, accountId, name);
  const named = members.filter((member) => metric === undefined || member.metric === metric);
  if (named.length > 0) return named;
  const points = await storage.stations.byName(environment, accountId, name);
  const [images, stations] = [members, points].map((held) => held.map((member) => member.metric).join(', '));
  const whose =
    accountId === null
      ? 'all accounts read (--account names the one that has its own)'
      : 'only this account reads';
  throw new NotFound(
    members.length > 0
      ? `The collection ${name} holds no ${metric}, but ${images}`
      : points.length > 0
        ? `The collection ${name} holds no images, but ${stations} at stations`
        : `There is no collection ${name} in ${environment} that ${whose}: see groundwatch collections list`,
  );
}

/**
 * Finds one metric of a raster collection.
 * @throws NotFound; InvalidInput when the collection has several metrics and `metric` is undefined
 */
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

/** Content of a raster collection. */
export interface CollectionContent {
  readonly collection: Collection;
  readonly scenes: number;
  /** Times of the first and last scene [ms since the Unix epoch]; null without scenes. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
}

/** Lists all raster collections and their content according to the database. */
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

/** Lists all point collections with their content, and whether a live collection has stopped receiving values. */
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

/** Finds the point collections of a name, one for each metric; empty when there are none. */
async function pointCollectionsNamed(
  { storage }: Pick<Deps, 'storage'>,
  { environment, accountId, name, metric }: CollectionName,
): Promise<readonly PointCollection[]> {
  const members = await storage.stations.byName(environment, accountId, name);
  return members.filter((member) => metric === undefined || member.metric === metric);
}

/** Finds the raster and point collections of a name. @throws NotFound when there are none */
export async function membersNamed(
  deps: Pick<Deps, 'storage'>,
  name: CollectionName,
): Promise<{ readonly rasters: readonly Collection[]; readonly points: readonly PointCollection[] }> {
  const points = await pointCollectionsNamed(deps, name);
  try {
    return { rasters: await collectionsNamed(deps, name), points };
  } catch (error) {
    if (!(error instanceof NotFound) || points.length === 0) throw error;
    return { rasters: [], points };
  }
}

/** Damage found in the stored pixels of a collection. */
export interface CollectionDamage {
  /** One sentence for each damaged file, with its name. */
  readonly damage: readonly string[];
  /** Recorded scenes whose pixels are lost or changed. They have to be ingested again. */
  readonly missing: readonly string[];
}

/** Reads all stored pixels of a collection and compares them with the recorded scenes. */
export async function checkCollection(
  deps: CollectionDeps,
  collection: Collection,
): Promise<CollectionDamage> {
  const damage: string[] = [];
  for (const id of await allCubesOf(deps.cube, collection.id)) damage.push(...(await deps.cube.check(id)));
  return { damage, missing: damage.length === 0 ? await missingScenes(deps, collection) : [] };
}

/** Removes damaged data, and reports which scenes have to be ingested again. */
export async function repairCollection(
  deps: CollectionDeps,
  collection: Collection,
): Promise<CollectionDamage> {
  const { grid, sampleType } = collection;
  const damage: string[] = [];
  for (const id of await allCubesOf(deps.cube, collection.id)) {
    const isOfSnow = id === snowCubeId(collection.id);
    const isOfColours = id === colourCubeId(collection.id);
    const spec = isOfSnow
      ? snowCubeSpec(grid)
      : isOfColours
        ? colourCubeSpec(grid)
        : { width: grid.width, height: grid.height, sampleType };
    const found = await deps.cube.repair(id, spec);
    damage.push(...found);
    if (isOfSnow && found.length > 0)
      damage.push('where scenes show snow is partly lost: ingest every scene with snow again');
    if (isOfColours && found.length > 0)
      damage.push('some pictures in true colour are lost: ingest these scenes again to have them');
  }
  return { damage, missing: await missingScenes(deps, collection) };
}

/**
 * Returns the keys of recorded scenes whose pixels are lost or changed. Compares twice, to ignore scenes that are
 * being written or removed at the moment.
 */
async function missingScenes(deps: CollectionDeps, { id }: Collection): Promise<readonly string[]> {
  const missing = await scenesNotStored(deps, id);
  if (missing.length === 0) return [];
  const again = new Map((await scenesNotStored(deps, id)).map(({ key, sha256 }) => [key, sha256]));
  return missing.filter(({ key, sha256 }) => again.get(key) === sha256).map(({ key }) => key);
}

async function scenesNotStored({ storage, cube }: CollectionDeps, id: string): Promise<readonly Scene[]> {
  // Read the records first: a new scene is stored before it is recorded.
  const recorded = await storage.collections.scenes(id);
  const stored = new Map((await cube.scenes(id)).map(({ key, sha256 }) => [key, sha256]));
  return recorded.filter(({ key, sha256 }) => stored.get(key) !== sha256);
}

/** Removes a collection with its scenes, changes and anomalies. An interrupted removal can be repeated. */
export async function removeCollection(deps: CollectionDeps, { id }: Collection): Promise<void> {
  await removeCubes(deps, id); // the pixels before the database row that refers to them
  await deps.storage.collections.remove(id);
}

/** Removes the pixels of a collection. Does nothing for those that another process has removed. */
export async function removeCubes(
  { cube }: Pick<CollectionDeps, 'cube'>,
  collectionId: string,
): Promise<void> {
  for (const cubeId of [snowCubeId(collectionId), colourCubeId(collectionId), collectionId])
    await unlessMissing(cube.remove(cubeId));
}

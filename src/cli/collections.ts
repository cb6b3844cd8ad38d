import {
  checkCollection,
  type CollectionName,
  collectionNamed,
  collectionsNamed,
  listCollections,
  listPointCollections,
  membersNamed,
  removeCollection,
  repairCollection,
} from '../app/imagery/manage-collections.ts';
import { removeScenes } from '../app/changes/remove-scenes.ts';
import type { PointCollection } from '../app/series/station-store.ts';
import type { Collection } from '../app/series/collection-store.ts';
import { accountOption, COLLECTION_OF } from './account-option.ts';
import {
  type CliDeps,
  ENVIRONMENT,
  environment,
  Failed,
  type Given,
  type Option,
  required,
  table,
  text,
  type Command,
} from './command.ts';

/** Options that name a collection. */
export const COLLECTION_OPTIONS: Readonly<Record<string, Option>> = {
  collection: { value: 'NAME', meaning: 'the collection', required: true },
  metric: { value: 'KEY', meaning: 'one of its metrics', fallback: 'all of them' },
  environment: ENVIRONMENT,
  account: COLLECTION_OF,
};

/** The collection that the options name. */
export async function collectionName({ storage }: CliDeps, given: Given): Promise<CollectionName> {
  return {
    environment: environment(given),
    accountId: await accountOption(storage, given),
    name: required(given, 'collection'),
    metric: text(given, 'metric'),
  };
}

function day(ms: number | null): string {
  return ms === null ? '' : new Date(ms).toISOString().slice(0, 10);
}

export const listCollectionsCommand: Command = {
  name: 'collections list',
  isLight: true,
  summary: 'List the collections and what they contain',
  async run(context) {
    const { storage, clock } = await context.open();
    const accounts = new Map((await storage.accounts.list()).map(({ id, name }) => [id, name]));
    const named = ({ id, environment, accountId, name, metric }: Collection | PointCollection) => ({
      id,
      environment,
      account: accountId === null ? null : (accounts.get(accountId) ?? null),
      name,
      metric,
    });
    const span = (firstMs: number | null, lastMs: number | null) => ({
      from: day(firstMs) || null,
      to: day(lastMs) || null,
    });
    const rasters = (await listCollections({ storage })).map(({ collection, scenes, firstMs, lastMs }) => ({
      ...named(collection),
      kind: 'raster' as const,
      width: collection.grid.width,
      height: collection.grid.height,
      crs: collection.grid.crs,
      scenes,
      ...span(firstMs, lastMs),
    }));
    const points = (await listPointCollections({ storage, clock })).map(
      ({ collection, stations, observations, firstMs, lastMs, isSilent }) => ({
        ...named(collection),
        kind: 'points' as const,
        stations,
        observations,
        ...span(firstMs, lastMs),
        silent: isSilent,
        ...(collection.derivedFrom !== undefined && { derived_from: collection.derivedFrom }),
      }),
    );
    const rows = [...rasters, ...points];
    context.print(
      { collections: rows },
      rows.length === 0
        ? 'There is no collection yet: groundwatch ingest stack and groundwatch ingest points make them'
        : table(
            ['NAME', 'METRIC', 'ENVIRONMENT', 'ACCOUNT', 'WHERE', 'HOLDS', 'FROM', 'TO', 'ID'],
            rows.map((row) => [
              row.name,
              row.metric,
              row.environment,
              row.account ?? 'all',
              row.kind === 'raster' ? `${row.width} x ${row.height} pixels` : `${row.stations} stations`,
              row.kind === 'raster' ? `${row.scenes} scenes` : `${row.observations} observations`,
              row.from ?? '',
              `${row.to ?? ''}${row.kind === 'points' && row.silent ? ' SILENT' : ''}`,
              row.id,
            ]),
          ),
    );
  },
};

export const checkCollectionsCommand: Command = {
  name: 'collections check',
  summary: 'Check all stored data of a collection for damage',
  options: COLLECTION_OPTIONS,
  async run(context, given) {
    const deps = await context.open();
    const { rasters, points } = await membersNamed(deps, await collectionName(deps, given));
    const found = [];
    for (const collection of rasters)
      found.push({ metric: collection.metric, ...(await checkCollection(deps, collection)) });
    for (const { id, metric } of points)
      found.push({ metric, damage: await deps.storage.stations.check(id), missing: [] });
    const problems = found.flatMap(({ metric, damage, missing }) => [
      ...damage,
      ...(missing.length > 0
        ? [`${metric}: ${missing.length} scenes are missing: ${missing.join(', ')}`]
        : []),
    ]);
    const name = required(given, 'collection');
    context.print(
      { name, metrics: found, whole: problems.length === 0 },
      problems.length === 0 ? `All of ${name} is as it was written` : `${name} is damaged`,
    );
    const repair =
      rasters.length > 0
        ? '\ngroundwatch collections repair drops the damaged data; then ingest its scenes again'
        : '\nRemove the collection and ingest it again';
    if (problems.length > 0) throw new Failed(problems.join('\n') + repair);
  },
};

export const repairCollectionsCommand: Command = {
  name: 'collections repair',
  summary: 'Drop the damaged data of a collection, so that its scenes can be ingested again',
  options: COLLECTION_OPTIONS,
  async run(context, given) {
    const deps = await context.open();
    const repaired = [];
    for (const collection of await collectionsNamed(deps, await collectionName(deps, given)))
      repaired.push({ metric: collection.metric, ...(await repairCollection(deps, collection)) });
    const lines = repaired.flatMap(({ metric, damage, missing }) => [
      ...damage.map((sentence) => `Dropped: ${sentence}`),
      missing.length === 0
        ? `${metric}: every scene is there`
        : `${metric}: ingest again ${missing.length} scenes: ${missing.join(', ')}`,
    ]);
    context.print({ name: required(given, 'collection'), metrics: repaired }, lines.join('\n'));
  },
};

export const removeCollectionCommand: Command = {
  name: 'collections remove',
  summary: 'Remove a collection with its scenes or stations, its changes and anomalies',
  audited: true,
  options: COLLECTION_OPTIONS,
  async run(context, given) {
    const deps = await context.open();
    const { rasters, points } = await membersNamed(deps, await collectionName(deps, given));
    for (const collection of rasters) await removeCollection(deps, collection);
    for (const { id } of points) await deps.storage.stations.remove(id);
    const name = required(given, 'collection');
    const metrics = [...rasters, ...points].map(({ metric }) => metric);
    context.print({ name, removed: metrics }, `Removed ${metrics.join(', ')} of ${name}`);
  },
};

export const removeScenesCommand: Command = {
  name: 'collections remove-scenes',
  summary: 'Remove scenes from a collection, and look for changes in what is left',
  audited: true,
  operands: ['SCENE,SCENE'],
  options: COLLECTION_OPTIONS,
  async run(context, given) {
    const deps = await context.open();
    const keys = given.operands[0]!.split(',').map((key) => key.trim());
    const collection = await collectionNamed(deps, await collectionName(deps, given));
    const changes = await removeScenes(deps, collection, keys, () => undefined);
    deps.wakeDelivery();
    context.print(
      { collection: collection.id, name: collection.name, removed: keys, changes },
      `${keys.length} scenes removed. Changes: ${changes.inserted} new, ${changes.updated} updated; ` +
        `${changes.confirmed} stand confirmed.`,
    );
  },
};

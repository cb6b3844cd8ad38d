import { NotFound } from '../../base/errors.ts';
import type { Deps } from '../deps.ts';
import type { Collection } from '../series/collection-store.ts';
import { allCubesOf } from '../series/colour-cube.ts';
import { monitorCollection, type MonitorReport } from './monitor-collection.ts';

/** Scenes that the refusal of an unknown key names. */
const MOST_NAMED = 5;

/**
 * Removes scenes from a collection and searches the remaining scenes for changes. Changes that are no longer found are
 * rejected.
 * @throws NotFound with the keys that are not scenes of the collection; in this case nothing is removed
 */
export async function removeScenes(
  deps: Pick<Deps, 'storage' | 'cube' | 'version'>,
  collection: Collection,
  keys: readonly string[],
  progress: (done: number, total: number) => void,
): Promise<MonitorReport> {
  const { storage, cube } = deps;
  const recorded = await storage.collections.scenes(collection.id);
  const scenes = [...recorded, ...(await cube.scenes(collection.id))];
  const known = new Set(scenes.map(({ key }) => key));
  const unknown = keys.filter((key) => !known.has(key));
  if (unknown.length > 0) {
    const near = [...known].filter((key) => unknown.some((start) => start !== '' && key.startsWith(start)));
    const hint =
      near.length > 0
        ? `; it has ${near.slice(0, MOST_NAMED).join(', ')}`
        : known.size > 0
          ? `; its keys, the field key of GET /v1/collections/{id}/scenes, are such as ${[...known].at(-1)}`
          : '; it has none';
    throw new NotFound(
      `${collection.name} has no scene ${unknown.map((key) => JSON.stringify(key)).join(', ')}${hint}`,
    );
  }
  for (const id of await allCubesOf(cube, collection.id)) await cube.removeScenes(id, keys);
  await storage.collections.removeScenes(collection.id, keys);
  return await monitorCollection(deps, collection, progress);
}

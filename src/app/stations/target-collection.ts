import { InvalidInput } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { bboxOfPoints } from '../../geo/bbox.ts';
import { distanceM } from '../../geo/nearby.ts';
import type { Deps } from '../deps.ts';
import { refuseMixing } from '../series/simulated-collection.ts';
import type { PointCollection } from '../series/station-store.ts';
import type { PointFile } from './points-reader.ts';

/**
 * Maximum distance from a station's position in the file to its stored position [m] (our choice). If the distance is
 * greater, the file is refused.
 */
const MOVED_M = 100;
/** Maximum number of stations looked up in one query. */
const STATIONS_AT_ONCE = 5000;

/** The point collection that a file is ingested into, whether it exists yet or not. */
export type IngestTarget = Pick<PointCollection, 'environment' | 'accountId' | 'name' | 'metric' | 'unit'>;

/** Finds the target collection, if it exists. @throws InvalidInput if the file cannot be added to the collection */
export async function findTarget(
  { storage }: Pick<Deps, 'storage'>,
  { environment, accountId, name, metric, unit }: IngestTarget,
): Promise<PointCollection | undefined> {
  const rasters = await storage.collections.byName(environment, accountId, name);
  if (rasters.some((raster) => raster.metric === metric))
    throw new InvalidInput(
      `The collection ${name} has ${metric} as images; expected another --collection for stations`,
      {
        param: 'collection',
      },
    );
  const points = await storage.stations.byName(environment, accountId, name);
  const there = points.find((collection) => collection.metric === metric);
  refuseMixing(name, [...rasters, ...points], undefined);
  if (there?.derivedFrom !== undefined)
    throw new InvalidInput(
      `The collection ${name} computes ${metric} from ${there.derivedFrom.join(', ')}; expected another --collection for ${metric} as observed`,
      { param: 'collection' },
    );
  if (there !== undefined && there.unit !== unit)
    throw new InvalidInput(`The collection ${name} has ${metric} in ${there.unit}, this file in ${unit}`, {
      param: 'unit',
    });
  return there;
}

/**
 * Finds the target collection or creates it. Of two concurrent ingests, one creates it and the other finds it.
 * @throws InvalidInput for the same reasons as `findTarget` and `checkPlaces`
 */
export async function prepareTarget(
  deps: Pick<Deps, 'storage'>,
  target: IngestTarget,
  file: PointFile,
): Promise<PointCollection> {
  for (;;) {
    const there = await findTarget(deps, target);
    await checkPlaces(deps, file, there);
    if (there !== undefined) return there;
    const fresh = { id: newId('collection'), ...target, bounds: bboxOfPoints(file.stations) };
    if (await deps.storage.stations.create(fresh)) return fresh;
  }
}

/** @throws InvalidInput if the position of a station in the file differs from its position in the collection */
async function checkPlaces(
  { storage }: Pick<Deps, 'storage'>,
  file: PointFile,
  collection: PointCollection | undefined,
): Promise<void> {
  if (collection === undefined) return;
  for (let from = 0; from < file.stations.length; from += STATIONS_AT_ONCE) {
    const part = file.stations.slice(from, from + STATIONS_AT_ONCE);
    const held = await storage.stations.stationsNamed(
      collection.id,
      part.map(({ key }) => key),
    );
    const byKey = new Map(held.map((station) => [station.key, station]));
    for (const { key, lng, lat } of part) {
      const there = byKey.get(key);
      if (there === undefined || distanceM([there.lng, there.lat], [lng, lat]) <= MOVED_M) continue;
      throw new InvalidInput(
        `Station ${key} of ${collection.name} stands at ${there.lat}, ${there.lng}; ${file.name} has it at ${lat}, ${lng}`,
        { param: 'lat' },
      );
    }
  }
}

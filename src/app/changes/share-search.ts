import { setTimeout as pause } from 'node:timers/promises';
import { MODEL_VERSION, PARAMETERS } from '../../change/parameters.ts';
import { digestOf } from '../../base/canonical-json.ts';
import type { Deps } from '../deps.ts';
import type { SearchHelp } from '../job-queue.ts';
import { readCollectionStack } from './collection-stack.ts';
import { helpWithSearch } from './search/find-changes.ts';
import { isScenesChanged } from './search/scenes-changed.ts';
import type { UnitTurns } from './search/unit-turns.ts';

/** Maximum number of workers that are asked to help with a phase of a search. */
const MOST_HELPERS = 16;
/**
 * Time for which the leader of a search keeps a call for help that it gets itself [ms]. It takes one call at a time, so the
 * others stay for other workers, which look for jobs twice a second.
 */
const OWN_CALL_MS = 5_000;

/** The latest search of each cube that this process led. */
const led = new Map<string, string>();

/** Digest of everything of this software on which the result of a unit depends. */
function softwareOf(version: string): string {
  return digestOf([MODEL_VERSION, PARAMETERS, version, process.version]);
}

/**
 * Turns of a search that other workers may help with. They are asked at the beginning of each phase.
 * @param cubeId cube beside which the results of units are kept
 */
export function sharedTurns(
  { storage, version }: Pick<Deps, 'storage' | 'version'>,
  collectionId: string,
  cubeId: string,
): UnitTurns {
  const asked = new Set<string>();
  return {
    async take(search, units) {
      led.set(cubeId, search);
      const [phase = ''] = units[0]!.split('-');
      if (units.length > 1 && !asked.has(phase)) {
        asked.add(phase);
        const helpers = Math.min(MOST_HELPERS, units.length); // one of the calls may reach this process
        const help = { collectionId, cubeId, search, software: softwareOf(version), helpers };
        await storage.jobs.helpSearch(help);
      }
      return await storage.turns.take(search, units);
    },
    giveBack: (search, unit) => storage.turns.giveBack(search, unit),
  };
}

/**
 * Runs units of a search that another process leads, until none is free. Does none if this process leads it, or has other
 * software.
 */
export async function helpSearch(
  deps: Pick<Deps, 'storage' | 'cube' | 'version'>,
  { collectionId, cubeId, search, software }: SearchHelp,
): Promise<void> {
  if (led.get(cubeId) === search) {
    await pause(OWN_CALL_MS);
    return;
  }
  if (software !== softwareOf(deps.version)) return;
  const collection = await deps.storage.collections.find(collectionId);
  if (collection === undefined) return;
  // A node that keeps its cubes in objects gets what is new by this.
  await readCollectionStack(deps, collection);
  try {
    await helpWithSearch({ cubes: deps.cube.address, cubeId, search, threads: undefined }, deps.storage);
  } catch (error) {
    // The process that leads the search notices this too, and begins again.
    if (!isScenesChanged(error)) throw error;
  }
}

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
 * others stay for other workers, which look for jobs two to four times a second. Well below the time in which a queue closes.
 */
const OWN_CALL_MS = 5_000;

/** The searches that this process leads, by their cube. */
const led = new Map<string, { readonly search: string; readonly over: AbortController }>();

/** Digest of everything of this software on which the result of a unit depends. */
function softwareOf(version: string): string {
  return digestOf([MODEL_VERSION, PARAMETERS, version, process.version]);
}

/** Searches of one collection with whose units other workers may help. */
export interface SharedSearches {
  /**
   * Returns the turns of a search, given the cube beside which the results of its units are kept. Other workers are asked
   * for help at the beginning of each phase.
   */
  readonly turnsOf: (cubeId: string) => UnitTurns;
  /** Withdraws the calls for help that nobody has answered. Must be called when the searches have ended. */
  readonly end: () => Promise<void>;
}

/** Lets other workers help with the searches of a collection that this process leads. */
export function shareSearches(
  { storage, version }: Pick<Deps, 'storage' | 'version'>,
  collectionId: string,
): SharedSearches {
  const own = new Map<string, string>();
  const lead = (cubeId: string, search: string): void => {
    if (own.get(cubeId) === search) return;
    own.set(cubeId, search);
    led.set(cubeId, { search, over: new AbortController() });
  };
  return {
    turnsOf(cubeId) {
      const asked = new Set<string>();
      return {
        async take(search, units) {
          lead(cubeId, search);
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
    },
    async end() {
      for (const [cubeId, search] of own) {
        const leading = led.get(cubeId);
        if (leading?.search === search) {
          leading.over.abort();
          led.delete(cubeId);
        }
        // A call that stays does no harm: the worker that gets it finds nothing to do.
        await storage.jobs.withdrawHelp(search).catch(() => undefined);
      }
      own.clear();
    },
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
  const leading = led.get(cubeId);
  if (leading?.search === search) {
    await pause(OWN_CALL_MS, undefined, { signal: leading.over.signal }).catch(() => undefined);
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

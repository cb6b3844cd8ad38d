import { LIVE_FROM } from '../../sandbox/events.ts';
import { deliverPoints } from './deliver-points.ts';
import { deliverOptical, deliverRadar, type SandboxDeps } from './deliver-simulated.ts';
import { SANDBOX_COLLECTION, SANDBOX_MONITORED, SANDBOX_MOTION } from './collection-names.ts';
import { holdSandbox } from './hold-sandbox.ts';
import { makeSandboxLayers } from './make-sandbox-layers.ts';
import type { LayerDeps } from '../layers/add-layer.ts';
import { monitorChanges, monitorCollection } from '../changes/monitor-collection.ts';
import { regroupAll } from '../incidents/regroup-incidents.ts';
import { refreshAnomalies } from '../anomalies/refresh-anomalies.ts';
import { DEMO_ACCOUNT, makeDemoAreas } from './sandbox-areas.ts';
import type { Collection } from '../series/collection-store.ts';

/** Seed of the region, the same in every installation. */
export const SANDBOX_SEED = 7;
const NOTED_STEP = 0.02; // the completed share is recorded each time that it has grown by this much
/** Parts of making the history, with the share of each in the progress. The final bookkeeping is the remaining 0.01. */
const PARTS = { layers: 0.1, images: 0.12, motion: 0.07, changes: 0.7 } as const;
type Part = keyof typeof PARTS;

/**
 * Makes the history of the simulated region, or resumes an interrupted call. If the history is complete, only searches
 * its collections for changes again, which has an effect after an update of the change model or the software. Waits
 * while another process makes the history.
 * @param signal aborts the work; the next call resumes it
 */
export async function seedSandbox(
  deps: SandboxDeps & LayerDeps,
  progress: (share: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  const { storage } = deps;
  await storage.sandbox.begin(SANDBOX_SEED);
  await holdSandbox(deps, Infinity, (holder) => makeHistory(deps, holder, progress, signal));
}

async function makeHistory(
  deps: SandboxDeps & LayerDeps,
  holder: string,
  progress: (share: number) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { storage, clock } = deps;
  const state = await storage.sandbox.read();
  if (state === undefined) return;
  if (state.readyAt !== null) {
    for (const name of SANDBOX_MONITORED) {
      const collection = await monitoredCollection(deps, name);
      if (collection !== undefined) await monitorCollection(deps, collection, () => undefined, signal);
    }
    return;
  }
  const made: Record<Part, number> = { layers: 0, images: 0, motion: 0, changes: 0 };
  let noted = 0;
  const tell = (part: Part, share: number): void => {
    made[part] = share;
    const whole = Object.entries(PARTS).reduce((sum, [name, weight]) => sum + weight * made[name as Part], 0);
    progress(whole);
    if (whole < noted + NOTED_STEP) return;
    noted = whole;
    storage.sandbox.note(holder, whole).catch(() => undefined); // if the lease is lost, the next write fails
  };
  const follow =
    (part: Part) =>
    (done: number, total: number): void =>
      tell(part, done / total);
  // Ingests the few radar images first. They are then searched for changes on processors that are otherwise idle.
  await deliverRadar(deps, 0, LIVE_FROM);
  const search = async (name: string, part: Part): Promise<void> => {
    const collection = await monitoredCollection(deps, name);
    if (collection !== undefined) await monitorChanges(deps, collection, { progress: follow(part), signal });
  };
  const ground = all([
    async () => {
      await makeSandboxLayers(deps, deps.region);
      tell('layers', 1);
    },
    () => deliverPoints(deps, 0, LIVE_FROM),
  ]);
  await all([
    () => ground,
    () => search(SANDBOX_MOTION, 'motion'),
    async () => {
      await deliverOptical(deps, 0, LIVE_FROM, (done, total) => {
        signal?.throwIfAborted();
        tell('images', done / total);
      });
      await all([
        () => search(SANDBOX_COLLECTION, 'changes'),
        async () => {
          await ground;
          // Layers and station data are complete here, so each area is scored only once. The changes, which are still
          // being searched, do not affect scores or anomalies.
          const demo = await storage.accounts.byName(DEMO_ACCOUNT);
          const areas = demo === undefined ? [] : await makeDemoAreas(deps, demo.id);
          for (const area of areas) await refreshAnomalies(deps, area, area.id);
        },
      ]);
    },
  ]);
  await deps.region.close();
  await regroupAll(storage, signal);
  await storage.sandbox.moveTo(holder, LIVE_FROM);
  await storage.sandbox.finish(holder, new Date(clock.now()));
  progress(1);
  deps.wakeDelivery();
}

/**
 * Runs several functions concurrently and waits until all have ended.
 * @throws the error of the first function in the list that failed
 */
async function all(works: readonly (() => Promise<unknown>)[]): Promise<void> {
  const ended = await Promise.allSettled(works.map((work) => work()));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

async function monitoredCollection({ storage }: SandboxDeps, name: string): Promise<Collection | undefined> {
  const [collection] = await storage.collections.byName('sandbox', null, name);
  return collection;
}

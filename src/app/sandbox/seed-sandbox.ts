import { LIVE_FROM } from '../../sandbox/events.ts';
import { deliverPoints } from './deliver-points.ts';
import { deliverOptical, deliverRadar, type SandboxDeps } from './deliver-simulated.ts';
import { SANDBOX_COLLECTION, SANDBOX_MONITORED, SANDBOX_MOTION } from './collection-names.ts';
import { holdSandbox } from './hold-sandbox.ts';
import { makeSandboxLayers } from './make-sandbox-layers.ts';
import type { LayerDeps } from '../layers/add-layer.ts';
import { monitorChanges, monitorCollection } from '../changes/monitor-collection.ts';
import { refreshAnomalies } from '../anomalies/refresh-anomalies.ts';
import { DEMO_ACCOUNT, makeDemoAreas } from './sandbox-areas.ts';
import type { Collection } from '../series/collection-store.ts';

/** The region that every installation has. */
export const SANDBOX_SEED = 7;
const NOTED_STEP = 0.02; // of the history, between two notes of how much is made
/** Parts of the work and what each takes of it; what is left is recorded last. */
const PARTS = { layers: 0.1, images: 0.12, motion: 0.07, changes: 0.7 } as const;
type Part = keyof typeof PARTS;

/**
 * Makes the history of the simulated region, from where an earlier call was cut short. When it is there, it is looked at
 * again only if the model is another than the last time. Another process that makes it already is waited for.
 * @param signal gives it up; the next call goes on
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
    storage.sandbox.note(holder, whole).catch(() => undefined); // the next write finds out
  };
  const follow =
    (part: Part) =>
    (done: number, total: number): void =>
      tell(part, done / total);
  // The radar's few images first: the search in them fills what of the processors the rest leaves.
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
          // Scored and judged by all that there is, so once: what changed is no part of either.
          const demo = await storage.accounts.byName(DEMO_ACCOUNT);
          const areas = demo === undefined ? [] : await makeDemoAreas(deps, demo.id);
          for (const area of areas) await refreshAnomalies(deps, area, area.id);
        },
      ]);
    },
  ]);
  await deps.region.close();
  await storage.sandbox.moveTo(holder, LIVE_FROM);
  await storage.sandbox.finish(holder, new Date(clock.now()));
  progress(1);
  deps.wakeDelivery();
}

/** Does several things beside each other. @throws what the first to fail threw, once all have ended */
async function all(works: readonly (() => Promise<unknown>)[]): Promise<void> {
  const ended = await Promise.allSettled(works.map((work) => work()));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

async function monitoredCollection({ storage }: SandboxDeps, name: string): Promise<Collection | undefined> {
  const [collection] = await storage.collections.byName('sandbox', null, name);
  return collection;
}

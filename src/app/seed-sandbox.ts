import { LIVE_FROM } from '../sandbox/events.ts';
import { deliverPoints } from './deliver-points.ts';
import { deliverImages, SANDBOX_COLLECTION, SANDBOX_MOTION, type SandboxDeps } from './deliver-simulated.ts';
import { holdSandbox } from './hold-sandbox.ts';
import { makeSandboxLayers } from './make-sandbox-layers.ts';
import type { LayerDeps } from './manage-layers.ts';
import { monitorCollection } from './monitor-collection.ts';
import { makeDemoAreas } from './sandbox-areas.ts';

/** The region that every installation has. */
export const SANDBOX_SEED = 7;
const DEMO_ACCOUNT = 'demo';
const SEARCH_SHARE = 0.99; // when the search is done: only what is recorded last makes it whole
const NOTED_STEP = 0.02; // of the history, between two notes of how much is made
/** Collections that changes are looked for in. */
const MONITORED = [SANDBOX_COLLECTION, SANDBOX_MOTION] as const;
const LAYERS_SHARE = 0.1; // of the work when the layers are there
const IMAGES_SHARE = 0.4; // and when the images are: the rest is the search for changes

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
  let noted = 0;
  const tell = (share: number): void => {
    progress(share);
    if (share < noted + NOTED_STEP) return;
    noted = share;
    storage.sandbox.note(holder, share).catch(() => undefined); // the next write finds out
  };
  if (state === undefined) return;
  if (state.readyAt !== null) {
    for (const name of MONITORED) await monitor(deps, name, () => undefined, signal);
    return;
  }
  if (state.day === 0) {
    await makeSandboxLayers(deps, deps.region);
    tell(LAYERS_SHARE);
    await deliverPoints(deps, 0, LIVE_FROM);
  }
  await deliverImages(deps, state.day, LIVE_FROM, (done, total) => {
    signal?.throwIfAborted();
    tell(LAYERS_SHARE + ((IMAGES_SHARE - LAYERS_SHARE) * done) / total);
  });
  await storage.sandbox.moveTo(holder, LIVE_FROM);
  const demo = await storage.accounts.byName(DEMO_ACCOUNT);
  if (demo !== undefined) await makeDemoAreas(deps, demo.id);
  for (const [i, name] of MONITORED.entries()) {
    await monitor(
      deps,
      name,
      (done, total) => {
        tell(IMAGES_SHARE + ((SEARCH_SHARE - IMAGES_SHARE) * (i + done / total)) / MONITORED.length);
      },
      signal,
    );
  }
  await deps.region.close();
  await storage.sandbox.finish(holder, new Date(clock.now()));
  progress(1);
  deps.wakeDelivery();
}

async function monitor(
  deps: SandboxDeps,
  name: string,
  progress: (done: number, total: number) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const [collection] = await deps.storage.collections.byName('sandbox', null, name);
  if (collection !== undefined) await monitorCollection(deps, collection, progress, signal);
}

import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS } from '../../base/time.ts';
import { LIVE_FROM } from '../../sandbox/events.ts';
import { SANDBOX_DAYS } from '../../sandbox/world.ts';
import { moveOn } from './advance-sandbox.ts';
import { radarDays, type SandboxDeps } from './deliver-simulated.ts';
import { holdSandbox } from './hold-sandbox.ts';
import type { LayerDeps } from '../layers/add-layer.ts';
import type { SandboxRegion } from './sandbox-region.ts';
import { seedSandbox } from './seed-sandbox.ts';

const AWAKE_MS = 30 * 60_000; // the clock runs this long after the last call with a sandbox credential
const LEAST_LOOK_MS = 2_000; // minimum interval between checks whether a day is due
const MOST_LOOK_MS = 30_000; // maximum interval between checks whether a day is due
const RETRY_MS = 60_000; // wait after a failure to make the history or to advance the clock
// Number of passes simulated ahead (0.9 MB each): about as many as can be simulated while a database is created.
const PASSES_AHEAD = 40;
const STOP_MS = 3_000; // maximum wait for the current work at shutdown
const LOGGED_STEPS = 5; // number of progress messages while the history is made

/**
 * Starts to simulate a new region and the first inputs of its history while the database is being created. Creating
 * the database takes seconds and leaves a processor idle. Unused results are dropped when the region's thread ends.
 */
export function prepareRegion(region: SandboxRegion): void {
  for (const day of radarDays(0, LIVE_FROM)) void region.ahead('displacement', day);
  void region.ahead('layers');
  void region.ahead('observations', 0, LIVE_FROM);
  void region.ahead('pastWeather');
  const makeScenes = async (): Promise<void> => {
    const passes = await region.deliveredPasses(0, LIVE_FROM);
    for (const day of passes.slice(0, PASSES_AHEAD)) void region.ahead('scene', day);
  };
  // An error is ignored here: it occurs again when the history is made, and is reported then.
  makeScenes().catch(() => undefined);
}

/**
 * Starts the simulation in the thread of the region while the service starts, unless the history is complete. The
 * simulation needs seconds to start.
 */
export async function prepareSandbox({ storage, region }: SandboxDeps): Promise<void> {
  const state = await storage.sandbox.read();
  if (state === undefined || state.readyAt === null) await region.deliveredPasses(0, LIVE_FROM);
}

interface Log {
  info(message: string): void;
  error(message: string): void;
}

/**
 * Makes the history of the simulated region in the background, then advances its clock while the sandbox is in
 * use.
 * @param pace simulated days per hour; 0: the clock does not advance
 * @param onMade called once when the history is complete, with the time that making it took [s], or with undefined if
 * it was complete before. The caller then starts work that would have competed with making the history
 * @returns a function that stops the background work
 */
export function runSandbox(
  deps: SandboxDeps & LayerDeps,
  pace: number,
  log: Log,
  onMade: (seconds: number | undefined) => void = () => undefined,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (ms: number): Promise<void> =>
    sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
  const attempt = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      log.error(`The simulated region: ${(error as Error).message}; trying again in a minute`);
      await pause(RETRY_MS);
      return false;
    }
  };
  const run = async (): Promise<void> => {
    const begun = performance.now();
    let wasThere = true;
    const seedOnce = async (): Promise<void> => {
      wasThere &&= (await deps.storage.sandbox.read())?.readyAt instanceof Date;
      await seed(deps, log, signal);
    };
    while (!signal.aborted && !(await attempt(seedOnce)));
    if (!signal.aborted) onMade(wasThere ? undefined : (performance.now() - begun) / 1000);
    if (pace === 0) return;
    const look = Math.min(MOST_LOOK_MS, Math.max(LEAST_LOOK_MS, HOUR_MS / pace / 4));
    for (await pause(look); !signal.aborted; await pause(look)) await attempt(() => keepPace(deps, pace));
  };
  const running = run().catch((error: unknown) => log.error(`The simulated region: ${String(error)}`));
  return async () => {
    stopping.abort();
    // Waits so that the lease is released before the database closes, but does not wait for a day that takes longer.
    await Promise.race([running, sleep(STOP_MS, undefined, { ref: false })]);
  };
}

async function seed(deps: SandboxDeps & LayerDeps, log: Log, signal: AbortSignal): Promise<void> {
  const begun = performance.now();
  let logged = 0;
  await seedSandbox(
    deps,
    (share) => {
      const step = Math.floor(share * LOGGED_STEPS);
      if (step <= logged) return;
      logged = step;
      const seconds = Math.round((performance.now() - begun) / 1000);
      log.info(
        share === 1
          ? `The simulated region of the sandbox is ready after ${seconds} s`
          : `The simulated region of the sandbox is being made: ${Math.round(share * 100)} %`,
      );
    },
    signal,
  );
}

/** Advances the clock of the region by a day if a day is due. The clock is stopped while nobody uses the sandbox. */
async function keepPace(deps: SandboxDeps, pace: number): Promise<void> {
  const { storage, clock } = deps;
  const usedAt = await storage.sandbox.lastUsedAt();
  if (usedAt === null || clock.now() - usedAt.getTime() > AWAKE_MS) {
    await storage.sandbox.setPaced(new Date(clock.now()));
    return;
  }
  if ((await daysDue(deps, pace)) < 1) return;
  await holdSandbox(deps, 0, async (holder) => {
    if ((await daysDue(deps, pace)) < 1) return;
    await moveOn(deps, holder, 1);
    const { pacedAt } = (await storage.sandbox.read())!;
    const dayMs = HOUR_MS / pace;
    // At most one day stays due: a machine that was suspended, or is too slow for the pace, does not catch up.
    await storage.sandbox.setPaced(new Date(Math.max(pacedAt.getTime() + dayMs, clock.now() - dayMs)));
  });
}

async function daysDue({ storage, clock }: SandboxDeps, pace: number): Promise<number> {
  const state = await storage.sandbox.read();
  if (state === undefined || state.readyAt === null || state.day >= SANDBOX_DAYS) return 0;
  return Math.floor(((clock.now() - state.pacedAt.getTime()) * pace) / HOUR_MS);
}

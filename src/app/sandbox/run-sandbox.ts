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

const AWAKE_MS = 30 * 60_000; // after the last call with a sandbox credential in which the clock goes on
const LEAST_LOOK_MS = 2_000; // between two looks at the clock, whatever its pace
const MOST_LOOK_MS = 30_000;
const RETRY_MS = 60_000; // after what made the history or a day fail
const PASSES_AHEAD = 40; // made before they are taken in, 0.9 MB each: about as many as the creation of a database lasts
const STOP_MS = 3_000; // for what is under way when told to stop
const TOLD_STEPS = 5; // of the making of the history, in the log

/**
 * Has a region made whose history is missing, and what the history begins with, while the database is created: that
 * takes seconds, and leaves a processor to it. Answers that nobody takes go when the region's thread does.
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
  // Whatever fails here fails again when the history is made, and is told then.
  makeScenes().catch(() => undefined);
}

/** Has the region made while the service starts, where its history is not whole: that takes seconds, on a processor of its own. */
export async function prepareSandbox({ storage, region }: SandboxDeps): Promise<void> {
  const state = await storage.sandbox.read();
  if (state === undefined || state.readyAt === null) await region.deliveredPasses(0, LIVE_FROM);
}

interface Log {
  info(message: string): void;
  error(message: string): void;
}

/**
 * Makes the simulated region's history beside everything else, then keeps its clock going while somebody uses it.
 * @param pace simulated days an hour; 0: the clock stands still
 * @param onMade told once the history is there, and how long it took where it was not before [s]: for what would have
 * been in its way
 * @returns what stops it
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
    // What it holds is let go of while the database is still there; a day under way may take longer than a stop may.
    await Promise.race([running, sleep(STOP_MS, undefined, { ref: false })]);
  };
}

async function seed(deps: SandboxDeps & LayerDeps, log: Log, signal: AbortSignal): Promise<void> {
  const begun = performance.now();
  let told = 0;
  await seedSandbox(
    deps,
    (share) => {
      const step = Math.floor(share * TOLD_STEPS);
      if (step <= told) return;
      told = step;
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

/** Brings the region to where its clock should be; while nobody uses it, the clock sleeps. */
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
    // A machine that is too slow for the pace, or was asleep, does not catch up.
    await storage.sandbox.setPaced(new Date(Math.max(pacedAt.getTime() + dayMs, clock.now() - dayMs)));
  });
}

async function daysDue({ storage, clock }: SandboxDeps, pace: number): Promise<number> {
  const state = await storage.sandbox.read();
  if (state === undefined || state.readyAt === null || state.day >= SANDBOX_DAYS) return 0;
  return Math.floor(((clock.now() - state.pacedAt.getTime()) * pace) / HOUR_MS);
}

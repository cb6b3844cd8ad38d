import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxDeps } from './deliver-simulated.ts';

const HELD_MS = 8_000; // after which a holder that is gone has lost it
const RENEW_MS = 2_000;
const RETRY_MS = 200; // between tries while another moves the region

/**
 * Does work on the simulated region while nobody else does, in this process or another: those who come later wait their
 * turn.
 * @param patience how long to wait for a turn [ms]
 * @returns undefined when the turn did not come in that time
 */
export async function holdSandbox<T>(
  { storage }: Pick<SandboxDeps, 'storage'>,
  patience: number,
  work: (holder: string) => Promise<T>,
): Promise<T | undefined> {
  const holder = randomUUID();
  const until = performance.now() + patience;
  while (!(await storage.sandbox.hold(holder, HELD_MS))) {
    if (performance.now() >= until) return undefined;
    await sleep(RETRY_MS);
  }
  const renewal = setInterval(() => {
    // What fails here is found out by the next write, which only the holder may do.
    storage.sandbox.renew(holder, HELD_MS).catch(() => undefined);
  }, RENEW_MS);
  try {
    return await work(holder);
  } finally {
    clearInterval(renewal);
    await storage.sandbox.release(holder);
  }
}

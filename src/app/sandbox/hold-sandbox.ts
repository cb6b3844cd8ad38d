import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxDeps } from './deliver-simulated.ts';

const HELD_MS = 8_000; // duration of a lease that is not renewed
const RENEW_MS = 2_000;
const RETRY_MS = 200; // interval between attempts while another holder has the lease

/**
 * Takes the lease of the simulated region, runs `work`, and releases the lease. Only one caller in all processes has
 * the lease; other callers wait.
 * @param patience maximum time to wait for the lease [ms]
 * @returns the result of `work`; undefined if the lease did not become free in time
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
    // Errors are ignored: if the lease is lost, the next write fails, because only the holder may write.
    storage.sandbox.renew(holder, HELD_MS).catch(() => undefined);
  }, RENEW_MS);
  try {
    return await work(holder);
  } finally {
    clearInterval(renewal);
    await storage.sandbox.release(holder);
  }
}

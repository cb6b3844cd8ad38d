import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxDeps } from './deliver-simulated.ts';

const HELD_MS = 8_000; // lease of the region, unless it is renewed
const RENEW_MS = 2_000;
const RETRY_MS = 200; // between attempts while another process holds the lease

/**
 * Leases the simulated region for some work. Only one caller of all processes holds the lease; others wait.
 * @param patience how long to wait for the lease [ms]
 * @returns the result of the work; undefined when the lease was not free in that time
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
    // A lost lease is detected by the next write, which only the holder may do.
    storage.sandbox.renew(holder, HELD_MS).catch(() => undefined);
  }, RENEW_MS);
  try {
    return await work(holder);
  } finally {
    clearInterval(renewal);
    await storage.sandbox.release(holder);
  }
}

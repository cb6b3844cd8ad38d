import { randomUUID } from 'node:crypto';
import { availableParallelism, hostname, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '../deps.ts';
import type { NodeRole } from './node-store.ts';

/** Interval between two reports of a node [ms]. */
export const REPORT_MS = 5_000;

/**
 * Reports this process as a node of the installation until it is stopped: its version, its clock beside that of the
 * database, and the load of its machine.
 * @returns a function that ends this and takes the node from the list
 */
export function keepNode(
  { storage, clock, version }: Pick<Deps, 'storage' | 'clock' | 'version'>,
  roles: readonly NodeRole[],
  onError: (error: unknown) => void,
): () => Promise<void> {
  const { nodes } = storage;
  const own = { id: randomUUID(), roles, host: hostname(), version, startedAt: new Date(clock.now()) };
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const asked = clock.now();
        const there = await nodes.now();
        // The database answered half-way between the question and the answer.
        const clockOffsetS = ((asked + clock.now()) / 2 - there) / 1000;
        await nodes.report({ ...own, clockOffsetS, load: loadavg()[0]! / availableParallelism() });
      } catch (error) {
        onError(error);
      }
      await sleep(REPORT_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();
  return async () => {
    stopping.abort();
    await running;
    await nodes.leave(own.id).catch(onError);
  };
}

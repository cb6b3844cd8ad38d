import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS } from '../../base/time.ts';
import type { Deps } from '../deps.ts';
import { regroupAll } from './regroup-incidents.ts';

const LOOK_MS = 1_000; // interval between two looks for newly published members

/**
 * Makes incidents of what is published, on every node that has workers: each look takes what is marked. At the start and
 * every hour it also marks what another release wrote.
 * @returns a function that stops after the transaction that runs
 */
export function keepIncidents(
  { storage, wakeDelivery }: Pick<Deps, 'storage' | 'wakeDelivery'>,
  onError: (error: unknown) => void,
  lookMs = LOOK_MS,
): () => Promise<void> {
  const stop = new AbortController();
  const run = async (): Promise<void> => {
    let searchedMs = -Infinity;
    while (!stop.signal.aborted) {
      try {
        if (performance.now() - searchedMs > HOUR_MS) {
          await storage.incidents.markMissed();
          searchedMs = performance.now();
        }
        if (await regroupAll(storage, stop.signal)) wakeDelivery();
      } catch (error) {
        if (!stop.signal.aborted) onError(error);
      }
      await sleep(lookMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return async () => {
    stop.abort();
    await running;
  };
}

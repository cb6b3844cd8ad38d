import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS } from '../../base/time.ts';
import type { Deps } from '../deps.ts';
import { regroupAll } from './regroup-incidents.ts';
import { sendDigests } from './send-digests.ts';

const LOOK_MS = 1_000; // interval between two looks for newly published members

/**
 * Makes incidents of what is published, and sends digests, on every node that has workers: each look takes what is marked. At the start and
 * every hour it also marks what another release wrote.
 * @returns a function that stops after the transaction that runs
 */
export function keepIncidents(
  { clock, storage, wakeDelivery }: Pick<Deps, 'clock' | 'storage' | 'wakeDelivery'>,
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
        const isNews = await regroupAll(storage, stop.signal);
        const sent = await sendDigests(storage, clock.now(), stop.signal);
        if (isNews || sent > 0) wakeDelivery();
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

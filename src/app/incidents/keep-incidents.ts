import { HOUR_MS } from '../../base/time.ts';
import { wokenLoop, type WokenLoop } from '../../base/waiting/woken-loop.ts';
import type { Deps } from '../deps.ts';
import { regroupAll } from './regroup-incidents.ts';
import { sendDigests } from './send-digests.ts';

const PACE_MS = 1_000; // shortest interval between two looks for newly published members

/**
 * Makes incidents of what is published, and sends digests, on every node that has workers: each look takes what is marked. At the start and
 * every hour it also marks what another release wrote. It stops after the transaction that runs.
 * @param restMs interval between two looks while nothing wakes it [ms]
 */
export function keepIncidents(
  { clock, storage, wakeDelivery }: Pick<Deps, 'clock' | 'storage' | 'wakeDelivery'>,
  onError: (error: unknown) => void,
  restMs: number,
): WokenLoop {
  let searchedMs = -Infinity;
  return wokenLoop({
    work: async (stop) => {
      if (performance.now() - searchedMs > HOUR_MS) {
        await storage.incidents.markMissed();
        searchedMs = performance.now();
      }
      const isNews = await regroupAll(storage, stop);
      const sent = await sendDigests(storage, clock.now(), stop);
      if (isNews || sent > 0) wakeDelivery();
    },
    onError,
    paceMs: PACE_MS,
    restMs,
  });
}

import { setTimeout as delay } from 'node:timers/promises';
import { attemptDelivery } from './attempt.ts';
import type { AttemptOptions } from './attempt.ts';
import { Bell } from './bell.ts';
import type { ClaimedDelivery, DeliveryQueue, Settlement } from '../app/delivery-queue.ts';
import { EndpointSlots } from './endpoint-slots.ts';

const POLL_MS = 1_000; // between looks at the queue when nothing wakes the worker
const LEASE_MS = 60_000; // the 15 s that an attempt may take, and room for a slow database
const TOTAL_SLOTS = 256; // deliveries held by one worker: about 1 MB of bodies, and as many sockets
const ENDPOINT_SLOTS = 32; // of them for one endpoint
const SETTLE_RETRY_MS = 1_000; // after the queue could not be reached

export interface DeliveryWorkerOptions extends AttemptOptions {
  readonly queue: DeliveryQueue;
  /** Told when the queue fails; the worker goes on. */
  readonly onError: (error: unknown) => void;
  readonly totalSlots?: number;
  readonly endpointSlots?: number;
  readonly pollMs?: number;
}

export interface DeliveryWorker {
  /** Looks at the queue at once: something was written to it. */
  wake(): void;
  /**
   * Claims nothing more, lets what is under way finish for up to `graceMs`, and hands back the leases of the rest:
   * those may arrive twice, never not at all.
   */
  stop(graceMs: number): Promise<void>;
}

/** Delivers what the queue holds, until it is stopped. Any number of workers may share a queue. */
export function startDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { queue, onError } = options;
  const totalSlots = options.totalSlots ?? TOTAL_SLOTS;
  const endpointSlots = options.endpointSlots ?? ENDPOINT_SLOTS;
  const pollMs = options.pollMs ?? POLL_MS;
  const slots = new EndpointSlots(endpointSlots);
  const held = new Set<ClaimedDelivery>(); // claimed, and not yet settled
  const finished: Settlement[] = [];
  const bell = new Bell();
  const stopping = new AbortController();
  const abandoned = new AbortController();
  let settling = false;

  const claiming = claimUntilStopped();

  async function claimUntilStopped(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await claim(totalSlots - held.size);
      } catch (error) {
        onError(error);
      }
      // Either nothing more is due, or there is no room: new work, a settled delivery or the poll goes on from here.
      if (!stopping.signal.aborted) await bell.wait(pollMs);
    }
  }

  async function claim(limit: number): Promise<void> {
    if (limit <= 0) return;
    const request = { limit, leaseMs: LEASE_MS, perEndpoint: endpointSlots, room: slots.room() };
    const surplus: ClaimedDelivery[] = [];
    for (const delivery of await queue.claim(request)) {
      // An endpoint may have lost slots while the queue answered.
      if (stopping.signal.aborted || !slots.take(delivery.endpointId)) surplus.push(delivery);
      else {
        held.add(delivery);
        void deliver(delivery);
      }
    }
    if (surplus.length > 0) await queue.release(surplus);
  }

  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    const settlement = await attemptDelivery(delivery, options);
    slots.give(delivery.endpointId, settlement.verdict.kind === 'delivered');
    finished.push(settlement);
    if (!settling) void settle();
  }

  /** What finishes while the queue is busy goes to it together. */
  async function settle(): Promise<void> {
    settling = true;
    while (finished.length > 0 && !abandoned.signal.aborted) {
      const batch = finished.splice(0);
      try {
        await queue.settle(batch);
        for (const { delivery } of batch) held.delete(delivery);
        bell.ring();
      } catch (error) {
        onError(error);
        finished.unshift(...batch); // their leases hold a while
        await delay(SETTLE_RETRY_MS);
      }
    }
    settling = false;
  }

  return {
    wake: () => bell.ring(),
    async stop(graceMs) {
      stopping.abort();
      bell.ring();
      await claiming;
      const grace = setTimeout(() => {
        abandoned.abort();
        bell.ring();
      }, graceMs);
      while (held.size > 0 && !abandoned.signal.aborted) await bell.wait(pollMs);
      clearTimeout(grace);
      if (held.size > 0) await queue.release([...held]).catch(onError); // else the leases run out by themselves
      held.clear();
    },
  };
}

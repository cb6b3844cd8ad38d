import { setTimeout as delay } from 'node:timers/promises';
import { attemptDelivery } from './attempt.ts';
import type { AttemptOptions } from './attempt.ts';
import { Bell } from './bell.ts';
import type { ClaimedDelivery, DeliveryQueue, Settlement } from '../app/webhooks/delivery-queue.ts';
import { EndpointSlots, SLOW_MS } from './endpoint-slots.ts';
import { Lanes, type LaneLimits } from './lanes.ts';

const POLL_MS = 100; // between looks at the queue when nothing wakes the worker: other processes write to it too
const GAP_MS = 15; // between claims, and between settlements: what comes meanwhile goes together
const LEASE_MS = 60_000; // the 15 s that an attempt may take, and room for a slow database
const SETTLE_RETRY_MS = 1_000; // after the queue could not be reached
const MOST_SETTLED = 500; // in one transaction

export interface DeliveryWorkerOptions extends AttemptOptions {
  readonly queue: DeliveryQueue;
  /** Told when the queue fails; the worker goes on. */
  readonly onError: (error: unknown) => void;
  readonly lanes?: Partial<LaneLimits>;
  readonly pollMs?: number;
  /** An attempt that takes longer is slow. */
  readonly slowMs?: number;
  readonly leaseMs?: number;
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
  const pollMs = options.pollMs ?? POLL_MS;
  const slowMs = options.slowMs ?? SLOW_MS;
  const slots = new EndpointSlots(() => performance.now());
  const lanes = new Lanes(options.lanes);
  const held = new Map<string, ClaimedDelivery>(); // claimed and not yet settled, by id, with the latest lease
  const finished: Settlement[] = [];
  const bell = new Bell();
  const stopping = new AbortController();
  const abandoned = new AbortController();
  let settling = false;
  let failing = false; // the queue, when last told of settlements

  const claiming = claimUntilStopped();

  async function claimUntilStopped(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await claim();
      } catch (error) {
        onError(error);
      }
      await delay(GAP_MS);
      // New work, a finished delivery or the poll goes on from here.
      if (!stopping.signal.aborted) await bell.wait(pollMs);
    }
  }

  async function claim(): Promise<void> {
    const limit = lanes.room;
    // A queue that comes back hears first what was delivered: by now those leases may have run out.
    if (limit === 0 || failing) return;
    const request = {
      limit,
      leaseMs: options.leaseMs ?? LEASE_MS,
      perEndpoint: EndpointSlots.first,
      room: slots.room(),
      heldAccounts: lanes.heldAccounts,
    };
    const surplus: ClaimedDelivery[] = [];
    for (const delivery of await queue.claim(request)) {
      // Its lease ran out, as when the database was away: it is under way or answered, and goes on under the new one.
      if (held.has(delivery.id)) held.set(delivery.id, delivery);
      // An endpoint may have lost slots while the queue answered.
      else if (stopping.signal.aborted || !slots.take(delivery.endpointId)) surplus.push(delivery);
      else {
        held.set(delivery.id, delivery);
        void deliver(delivery);
      }
    }
    if (surplus.length > 0) await queue.release(surplus);
  }

  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    const { accountId, endpointId } = delivery;
    let isSlow = false;
    lanes.enter();
    const timer = setTimeout(() => {
      isSlow = true;
      lanes.slow(accountId);
      slots.slow(endpointId);
      bell.ring();
    }, slowMs);
    const settlement = await attemptDelivery(delivery, options);
    clearTimeout(timer);
    lanes.leave(accountId, isSlow);
    slots.give(endpointId, {
      success: settlement.verdict.kind === 'delivered',
      durationMs: settlement.attempt.durationMs,
      pauseMs: settlement.pauseMs,
    });
    finished.push(settlement);
    bell.ring();
    if (!settling) void settle();
  }

  /** What finishes while the queue is busy goes to it together. */
  async function settle(): Promise<void> {
    settling = true;
    while (finished.length > 0 && !abandoned.signal.aborted) {
      const batch = finished
        .splice(0, MOST_SETTLED)
        .map((done) => ({ ...done, delivery: held.get(done.delivery.id)! }));
      try {
        await queue.settle(batch);
        for (const done of batch)
          if (held.get(done.delivery.id) === done.delivery) held.delete(done.delivery.id);
          else finished.push(done); // its lease was renewed meanwhile: the old one may have held no more
        failing = false;
        bell.ring();
        if (!stopping.signal.aborted) await delay(GAP_MS);
      } catch (error) {
        failing = true;
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
      if (held.size > 0) await queue.release([...held.values()]).catch(onError); // else the leases run out by themselves
      held.clear();
    },
  };
}

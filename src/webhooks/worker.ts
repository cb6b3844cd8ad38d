import { setTimeout as delay } from 'node:timers/promises';
import { attemptDelivery } from './attempt.ts';
import type { AttemptOptions } from './attempt.ts';
import { Bell } from './bell.ts';
import type { ClaimedDelivery, DeliveryQueue, Settlement } from '../app/webhooks/delivery-queue.ts';
import { EndpointSlots, SLOW_MS } from './endpoint-slots.ts';
import { Lanes, type LaneLimits } from './lanes.ts';

const POLL_MS = 100; // between queries of the queue while nothing wakes the worker: other processes write to it too
const GAP_MS = 15; // between claims, and between settlements, so that what arrives in between is handled in one batch
const LEASE_MS = 60_000; // the 15 s that an attempt may take, plus time for a slow database
const SETTLE_RETRY_MS = 1_000; // pause after the queue could not be reached
const MOST_SETTLED = 500; // settlements in one transaction

export interface DeliveryWorkerOptions extends AttemptOptions {
  readonly queue: DeliveryQueue;
  /** Called when the queue fails. The worker continues. */
  readonly onError: (error: unknown) => void;
  readonly lanes?: Partial<LaneLimits>;
  readonly pollMs?: number;
  /** An attempt that takes longer counts as slow [ms]. */
  readonly slowMs?: number;
  readonly leaseMs?: number;
}

export interface DeliveryWorker {
  /** Queries the queue at once, because something was written to it. */
  wake(): void;
  /**
   * Stops claiming, waits up to `graceMs` for the attempts under way, and returns the leases of the rest to the queue.
   * Deliveries with a returned lease may arrive twice, but are never lost.
   */
  stop(graceMs: number): Promise<void>;
}

/** Sends the deliveries of the queue until it is stopped. Any number of workers may share a queue. */
export function startDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const worker = new QueueWorker(options);
  return { wake: () => worker.wake(), stop: (graceMs) => worker.stop(graceMs) };
}

class QueueWorker implements DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  readonly #pollMs: number;
  readonly #slots = new EndpointSlots(() => performance.now());
  readonly #lanes: Lanes;
  /** Deliveries that are claimed and not yet settled, by id, each with its latest lease. */
  readonly #held = new Map<string, ClaimedDelivery>();
  readonly #finished: Settlement[] = [];
  readonly #bell = new Bell();
  readonly #stopping = new AbortController();
  readonly #abandoned = new AbortController();
  #settling = false;
  /** Whether the last settlement failed because the queue could not be reached. */
  #failing = false;
  readonly #claiming: Promise<void>;

  constructor(options: DeliveryWorkerOptions) {
    this.#options = options;
    this.#pollMs = options.pollMs ?? POLL_MS;
    this.#lanes = new Lanes(options.lanes);
    this.#claiming = this.#claimUntilStopped();
  }

  wake(): void {
    this.#bell.ring();
  }

  async stop(graceMs: number): Promise<void> {
    const { queue, onError } = this.#options;
    this.#stopping.abort();
    this.#bell.ring();
    await this.#claiming;
    const grace = setTimeout(() => {
      this.#abandoned.abort();
      this.#bell.ring();
    }, graceMs);
    while (this.#held.size > 0 && !this.#abandoned.signal.aborted) await this.#bell.wait(this.#pollMs);
    clearTimeout(grace);
    // If this fails, the leases expire.
    if (this.#held.size > 0) await queue.release([...this.#held.values()]).catch(onError);
    this.#held.clear();
  }

  async #claimUntilStopped(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#claim();
      } catch (error) {
        this.#options.onError(error);
      }
      await delay(GAP_MS);
      // Continues on new work, a finished delivery, or after the polling interval.
      if (!this.#stopping.signal.aborted) await this.#bell.wait(this.#pollMs);
    }
  }

  async #claim(): Promise<void> {
    const { queue, leaseMs = LEASE_MS } = this.#options;
    const limit = this.#lanes.room;
    // After an outage, finished deliveries are settled before new ones are claimed: their leases may have expired.
    if (limit === 0 || this.#failing) return;
    const surplus: ClaimedDelivery[] = [];
    const claimed = await queue.claim({
      limit,
      leaseMs,
      perEndpoint: EndpointSlots.first,
      room: this.#slots.room(),
      heldAccounts: this.#lanes.heldAccounts,
    });
    for (const delivery of claimed) {
      // Its lease expired, for example in an outage of the database. It is still held here and keeps the new lease.
      if (this.#held.has(delivery.id)) this.#held.set(delivery.id, delivery);
      // The endpoint may have lost slots during the query.
      else if (this.#stopping.signal.aborted || !this.#slots.take(delivery.endpointId))
        surplus.push(delivery);
      else {
        this.#held.set(delivery.id, delivery);
        void this.#deliver(delivery);
      }
    }
    if (surplus.length > 0) await queue.release(surplus);
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const { accountId, endpointId } = delivery;
    let isSlow = false;
    this.#lanes.enter();
    const timer = setTimeout(() => {
      isSlow = true;
      this.#lanes.slow(accountId);
      this.#slots.slow(endpointId);
      this.#bell.ring();
    }, this.#options.slowMs ?? SLOW_MS);
    const settlement = await attemptDelivery(delivery, this.#options);
    clearTimeout(timer);
    this.#lanes.leave(accountId, isSlow);
    this.#slots.give(endpointId, {
      success: settlement.verdict.kind === 'delivered',
      durationMs: settlement.attempt.durationMs,
      pauseMs: settlement.pauseMs,
    });
    this.#finished.push(settlement);
    this.#bell.ring();
    if (!this.#settling) void this.#settle();
  }

  /** Settles finished deliveries in batches. What finishes during one batch goes into the next. */
  async #settle(): Promise<void> {
    this.#settling = true;
    while (this.#finished.length > 0 && !this.#abandoned.signal.aborted) {
      const batch = this.#finished
        .splice(0, MOST_SETTLED)
        .map((done) => ({ ...done, delivery: this.#held.get(done.delivery.id)! }));
      try {
        await this.#options.queue.settle(batch);
        for (const done of batch)
          if (this.#held.get(done.delivery.id) === done.delivery) this.#held.delete(done.delivery.id);
          else this.#finished.push(done); // the lease was renewed during the batch, so the old one may have been void
        this.#failing = false;
        this.#bell.ring();
        if (!this.#stopping.signal.aborted) await delay(GAP_MS);
      } catch (error) {
        this.#failing = true;
        this.#options.onError(error);
        this.#finished.unshift(...batch); // their leases are valid for a while
        await delay(SETTLE_RETRY_MS);
      }
    }
    this.#settling = false;
  }
}

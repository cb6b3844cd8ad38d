import { setTimeout as delay } from 'node:timers/promises';
import { observe } from '../base/observed.ts';
import { traced, type SpanStart } from '../base/trace.ts';
import { attemptDelivery } from './attempt.ts';
import type { AttemptOptions } from './attempt.ts';
import { Bell } from '../base/waiting/bell.ts';
import { apart } from '../base/waiting/woken-loop.ts';
import type { ClaimedDelivery, DeliveryQueue, Settlement } from '../app/webhooks/delivery-queue.ts';
import { EndpointSlots, SLOW_MS } from './endpoint-slots.ts';
import { Lanes, type LaneLimits } from './lanes.ts';

const POLL_MS = 100; // interval between queries of the queue, since other processes that write to it do not wake us
const CALM_MS = 5_000; // time without a delivery after which the queue is queried less often
const CALM_POLL_MS = 250; // interval between queries then
const GAP_MS = 15; // minimum pause between claims, and between settlements, so that each handles a larger batch
const LEASE_MS = 60_000; // duration of a lease: the 15 s that an attempt may take, plus time for a slow database
const SETTLE_RETRY_MS = 1_000; // pause before the next settlement after the queue could not be reached
const MOST_SETTLED = 500; // maximum number of settlements in one transaction

/** Makes one attempt and decides from the response what happens next. Never throws. */
export type AttemptOnce = (delivery: ClaimedDelivery) => Promise<Settlement>;

/** Options of the worker, and of its attempts: those of webhooks, or a function that makes another kind of attempt. */
export type DeliveryWorkerOptions = QueueOptions & (AttemptOptions | { readonly attempt: AttemptOnce });

interface QueueOptions {
  readonly queue: DeliveryQueue;
  /** Called when the queue fails. The worker continues. */
  readonly onError: (error: unknown) => void;
  readonly lanes?: Partial<LaneLimits>;
  readonly pollMs?: number;
  /** Interval between queries after a time without a delivery [ms]; long where something else wakes the worker. */
  readonly restMs?: number;
  /** Duration after which an attempt counts as slow [ms]. */
  readonly slowMs?: number;
  readonly leaseMs?: number;
}

export interface DeliveryWorker {
  /** Makes the worker query the queue at once. Call it after a delivery was written to the queue. */
  wake(): void;
  /**
   * Stops claiming, waits up to `graceMs` for the attempts under way, then gives up the leases of unfinished attempts.
   * Receivers may get these deliveries twice, but none is lost.
   */
  stop(graceMs: number): Promise<void>;
}

/** Starts a worker that sends the deliveries in the queue until it is stopped. Several workers may share a queue. */
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
  /** Time at which a delivery was last claimed, or claiming began [ms]. */
  #busyAt = performance.now();
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
    // If the release fails, the leases expire later.
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
      // Waits for new work or a finished delivery, at most for the polling interval.
      if (!this.#stopping.signal.aborted) await this.#bell.wait(this.#pauseMs());
    }
  }

  #pauseMs(): number {
    const isCalm = performance.now() - this.#busyAt > CALM_MS;
    const { pollMs, restMs } = this.#options;
    if (!isCalm) return this.#pollMs;
    return restMs === undefined ? (pollMs ?? CALM_POLL_MS) : apart(restMs);
  }

  async #claim(): Promise<void> {
    const { queue, leaseMs = LEASE_MS } = this.#options;
    const limit = this.#lanes.room;
    // After an outage, finished deliveries are settled before others are claimed, since their leases may have expired.
    if (limit === 0 || this.#failing) return;
    const surplus: ClaimedDelivery[] = [];
    const claimed = await queue.claim({
      limit,
      leaseMs,
      perEndpoint: EndpointSlots.first,
      room: this.#slots.room(),
      heldAccounts: this.#lanes.heldAccounts,
    });
    if (claimed.length > 0) this.#busyAt = performance.now();
    for (const delivery of claimed) {
      // This worker still processes the delivery, but the old lease expired, for example in an outage.
      if (this.#held.has(delivery.id)) this.#held.set(delivery.id, delivery);
      // The number of slots of the endpoint may have been reduced during the query.
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
    const options = this.#options;
    const settlement = await traced(spanOf(delivery), async (span) => {
      const made =
        'attempt' in options
          ? await options.attempt(delivery)
          : await attemptDelivery(delivery, options, span?.traceparent);
      span?.note({
        'groundwatch.delivery.outcome': made.verdict.kind,
        ...(made.attempt.status !== null && { 'http.response.status_code': made.attempt.status }),
      });
      return made;
    });
    clearTimeout(timer);
    observe({
      kind: 'delivery',
      outcome: settlement.verdict.kind,
      seconds: settlement.attempt.durationMs / 1000,
    });
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

  /** Settles finished deliveries in batches. Deliveries that finish during one batch are settled in the next batch. */
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
          // The lease was renewed during the batch, so the settlement may have used the expired lease. It is repeated.
          else this.#finished.push(done);
        this.#failing = false;
        this.#bell.ring();
        if (!this.#stopping.signal.aborted) await delay(GAP_MS);
      } catch (error) {
        this.#failing = true;
        this.#options.onError(error);
        this.#finished.unshift(...batch); // settled again later; their leases are still valid for a while
        await delay(SETTLE_RETRY_MS);
      }
    }
    this.#settling = false;
  }
}

/** The span of an attempt. It does not tell the address, which may hold a secret. */
const spanOf = (delivery: ClaimedDelivery): SpanStart => ({
  name: 'delivery',
  kind: 'client',
  parent: delivery.traceparent,
  facts: {
    'groundwatch.account.id': delivery.accountId,
    'groundwatch.endpoint.id': delivery.endpointId,
    'groundwatch.event.id': delivery.eventId,
    'groundwatch.delivery.attempt': delivery.attempt,
  },
});

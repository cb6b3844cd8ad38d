import type { Clock } from '../../src/app/clock.ts';
import type {
  Attempt,
  ClaimRequest,
  ClaimedDelivery,
  DeliveryQueue,
  Settlement,
} from '../../src/app/webhooks/delivery-queue.ts';

interface Endpoint {
  readonly url: string;
  secrets: readonly string[];
  failingSinceMs: number | null;
  disabled: 'gone' | 'failing' | 'refused' | null;
}

interface QueuedDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly body: string;
  readonly attempts: Attempt[];
  state: 'pending' | 'delivered' | 'dead';
  dueAtMs: number;
  lease: { readonly token: string; readonly untilMs: number } | null;
}

/** Delivery queue in memory. It follows the rules of the interface `DeliveryQueue` without a database. */
export class MemoryDeliveryQueue implements DeliveryQueue {
  readonly endpoints = new Map<string, Endpoint>();
  readonly deliveries = new Map<string, QueuedDelivery>();
  readonly #clock: Clock;
  #leases = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  addEndpoint(id: string, url: string, secrets: readonly string[]): void {
    this.endpoints.set(id, { url, secrets, failingSinceMs: null, disabled: null });
  }

  enqueue(delivery: Pick<QueuedDelivery, 'id' | 'endpointId' | 'eventId' | 'body'>): void {
    this.deliveries.set(delivery.id, {
      ...delivery,
      attempts: [],
      state: 'pending',
      dueAtMs: this.#clock.now(),
      lease: null,
    });
  }

  claim(request: ClaimRequest): Promise<readonly ClaimedDelivery[]> {
    const nowMs = this.#clock.now();
    const room = new Map(request.room);
    const claimed: ClaimedDelivery[] = [];
    const due = [...this.deliveries.values()]
      .filter(({ state, dueAtMs }) => state === 'pending' && dueAtMs <= nowMs)
      .filter(({ lease }) => lease === null || lease.untilMs <= nowMs)
      .toSorted((a, b) => a.dueAtMs - b.dueAtMs);
    for (const delivery of due) {
      const endpoint = this.endpoints.get(delivery.endpointId);
      const free = room.get(delivery.endpointId) ?? request.perEndpoint;
      if (claimed.length >= request.limit) break;
      if (endpoint === undefined || endpoint.disabled !== null || free <= 0) continue;
      room.set(delivery.endpointId, free - 1);
      this.#leases += 1;
      const lease = `lease-${this.#leases}`;
      delivery.lease = { token: lease, untilMs: nowMs + request.leaseMs };
      const { id, endpointId, eventId, body } = delivery;
      const { url, secrets, failingSinceMs } = endpoint;
      const attempt = delivery.attempts.length + 1;
      claimed.push({
        id,
        lease,
        accountId: 'acc_1',
        endpointId,
        eventId,
        body,
        url,
        secrets,
        attempt,
        failingSinceMs,
        traceparent: null,
      });
    }
    return Promise.resolve(claimed);
  }

  settle(settlements: readonly Settlement[]): Promise<void> {
    for (const settlement of settlements) this.#settle(settlement);
    return Promise.resolve();
  }

  release(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    for (const { id, lease } of deliveries) {
      const delivery = this.#leased(id, lease);
      if (delivery !== undefined) delivery.lease = null;
    }
    return Promise.resolve();
  }

  #settle({ delivery: claim, attempt, verdict }: Settlement): void {
    const delivery = this.#leased(claim.id, claim.lease);
    const endpoint = this.endpoints.get(claim.endpointId);
    if (delivery === undefined || endpoint === undefined) return;
    delivery.attempts.push(attempt);
    delivery.lease = null;
    if (verdict.kind === 'delivered') endpoint.failingSinceMs = null;
    else endpoint.failingSinceMs ??= attempt.startedAtMs;
    switch (verdict.kind) {
      case 'delivered':
        delivery.state = 'delivered';
        break;
      case 'retry':
        delivery.dueAtMs = verdict.dueAtMs;
        break;
      case 'dead':
        delivery.state = 'dead';
        break;
      case 'disable':
        endpoint.disabled = verdict.reason;
        for (const waiting of this.deliveries.values())
          if (waiting.endpointId === claim.endpointId && waiting.state === 'pending') waiting.state = 'dead';
        break;
    }
  }

  #leased(id: string, lease: string): QueuedDelivery | undefined {
    const delivery = this.deliveries.get(id);
    return delivery?.lease?.token === lease ? delivery : undefined;
  }
}

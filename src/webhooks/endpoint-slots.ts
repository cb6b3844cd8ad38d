const FIRST = 8; // allowance (maximum number of concurrent deliveries) of an endpoint without history
const MOST_SLOW = 8; // maximum allowance of an endpoint that takes a second or longer to respond
const MOST = 32; // maximum allowance that responses within a second can reach; they never reduce a higher allowance
const MOST_QUICK = 128; // maximum allowance after a response within AT_ONCE_MS: by Little's law, 128 / 0.1 s = 1,300/s
const AT_ONCE_MS = 100;
/** Duration [ms] after which an attempt counts as slow and moves from the quick lane to the slow lane. */
export const SLOW_MS = 1_000;
const PATIENCE = 5; // number of failures in a row after which an endpoint gets a pause
const REST = 3; // length of this pause in durations of the last attempt: a dead endpoint uses a slot 1/4 of the time
const LONGEST_REST_MS = 10_000;
const LONGEST_PAUSE_MS = 30_000; // maximum pause that an endpoint can request; a longer one delays only that delivery

const FORGET_MS = 600_000; // idle time after which a reduced allowance is reset to FIRST
const FORGET_GOOD_MS = 5_000; // idle time after which a raised allowance is reset; successes raise it again quickly

/** Result of an attempt. */
export interface SlotOutcome {
  readonly success: boolean;
  readonly durationMs: number;
  /** Pause that the endpoint requested [ms]. */
  readonly pauseMs?: number | undefined;
}

interface Endpoint {
  allowance: number;
  taken: number;
  failures: number;
  restsUntilMs: number;
  usedMs: number;
}

/**
 * Limits the concurrent deliveries to each endpoint. The allowance grows with every success, up to a bound that
 * depends on the response time. A failure reduces the allowance to one, and several failures in a row pause the
 * endpoint (circuit breaker). Endpoints that hang or fail therefore hardly delay deliveries to other endpoints.
 */
export class EndpointSlots {
  readonly #now: () => number;
  /** Endpoints by id: only those with deliveries under way, or with an allowance other than FIRST. */
  readonly #endpoints = new Map<string, Endpoint>();

  /** @param now current time of a monotonic clock [ms] */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Allowance of an endpoint without history. */
  static readonly first = FIRST;

  /**
   * Takes a slot that {@link room} offered. In the meantime the allowance may have been reduced, so that no slot is
   * free. The slot is then granted only if the latest delivery to the endpoint did not fail.
   * @returns whether the slot was granted
   */
  take(endpointId: string): boolean {
    const known = this.#endpoints.get(endpointId);
    const slots = known ?? { allowance: FIRST, taken: 0, failures: 0, restsUntilMs: 0, usedMs: 0 };
    if (slots.failures > 0 && this.#free(slots) === 0) return false;
    slots.taken += 1;
    if (known === undefined) this.#endpoints.set(endpointId, slots);
    return true;
  }

  /** Reduces the allowance of an endpoint because one of its attempts has become slow. */
  slow(endpointId: string): void {
    const slots = this.#of(endpointId);
    slots.allowance = Math.min(slots.allowance, MOST_SLOW);
  }

  /** Returns a slot after an attempt and adapts the allowance to its result. */
  give(endpointId: string, { success, durationMs, pauseMs = 0 }: SlotOutcome): void {
    const slots = this.#of(endpointId);
    slots.taken -= 1;
    slots.usedMs = this.#now();
    if (success) {
      const most = durationMs < AT_ONCE_MS ? MOST_QUICK : durationMs < SLOW_MS ? MOST : MOST_SLOW;
      const grown = Math.min(most, slots.allowance * 2);
      slots.allowance = most === MOST_SLOW ? grown : Math.max(slots.allowance, grown);
      slots.failures = 0;
      slots.restsUntilMs = 0;
    } else {
      slots.allowance = 1;
      slots.failures += 1;
      const rest = slots.failures < PATIENCE ? 0 : Math.min(LONGEST_REST_MS, durationMs * REST);
      slots.restsUntilMs = this.#now() + Math.max(rest, Math.min(LONGEST_PAUSE_MS, pauseMs));
    }
    if (slots.taken === 0 && slots.allowance === FIRST) this.#endpoints.delete(endpointId);
  }

  /** Returns the number of free slots of every known endpoint. All other endpoints have {@link first} free slots. */
  room(): ReadonlyMap<string, number> {
    const room = new Map<string, number>();
    const now = this.#now();
    for (const [id, slots] of this.#endpoints) {
      const kept = slots.allowance > FIRST ? FORGET_GOOD_MS : FORGET_MS;
      if (slots.taken === 0 && slots.usedMs < now - kept) this.#endpoints.delete(id);
      else room.set(id, this.#free(slots));
    }
    return room;
  }

  #free({ allowance, taken, restsUntilMs }: Endpoint): number {
    return restsUntilMs > this.#now() ? 0 : Math.max(0, allowance - taken);
  }

  #of(endpointId: string): Endpoint {
    const slots = this.#endpoints.get(endpointId);
    if (slots === undefined) throw new RangeError(`no slot of ${endpointId} is taken`);
    return slots;
  }
}

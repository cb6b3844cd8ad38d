const FIRST = 8; // deliveries at once to an endpoint of which nothing is known
const MOST_SLOW = 8; // to one that takes long
const MOST = 32; // to one that answers, if not at once; one that had more keeps it
const MOST_QUICK = 128; // to one that answers at once: by Little's law these are 1,300 a second at 100 ms
const AT_ONCE_MS = 100; // an answer within this is at once
/** An attempt that takes longer is slow: it gives its place among the quick ones up. */
export const SLOW_MS = 1_000;
const PATIENCE = 5; // failures in a row after which an endpoint is left alone for a while
const REST = 3; // times as long as the failure took: a dead endpoint holds a quarter of a slot
const LONGEST_REST_MS = 10_000;
const LONGEST_PAUSE_MS = 30_000; // that an endpoint asks for: for longer ones the schedule of each delivery waits

const FORGET_MS = 600_000; // what was known against an endpoint that has been idle for this long
const FORGET_GOOD_MS = 5_000; // and what was known in its favour: its next deliveries show it anew

/** How an attempt went. */
export interface SlotOutcome {
  readonly success: boolean;
  readonly durationMs: number;
  /** How long the endpoint asks to be left alone [ms]. */
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
 * How many deliveries each endpoint may have under way. It grows with every success, by how quick it was; a failure makes
 * it one at a time, and several in a row open the circuit for a while. So an endpoint that hangs or fails costs the others
 * next to nothing.
 */
export class EndpointSlots {
  readonly #now: () => number;
  /** Only endpoints with something under way, or of which something is known. */
  readonly #endpoints = new Map<string, Endpoint>();

  /** `now` in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** What an endpoint may take of which nothing is known. */
  static readonly first = FIRST;

  /**
   * Takes a slot that {@link room} offered; false when the endpoint has failed since. One that is merely slower than it
   * was gets what was claimed for it.
   */
  take(endpointId: string): boolean {
    const known = this.#endpoints.get(endpointId);
    const slots = known ?? { allowance: FIRST, taken: 0, failures: 0, restsUntilMs: 0, usedMs: 0 };
    if (slots.failures > 0 && this.#free(slots) === 0) return false;
    slots.taken += 1;
    if (known === undefined) this.#endpoints.set(endpointId, slots);
    return true;
  }

  /** One of its attempts has become slow. */
  slow(endpointId: string): void {
    const slots = this.#of(endpointId);
    slots.allowance = Math.min(slots.allowance, MOST_SLOW);
  }

  /** Gives a slot back, with how the delivery went. */
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

  /** Free slots of every endpoint that has another number of them than the first. */
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

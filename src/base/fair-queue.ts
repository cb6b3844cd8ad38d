import { Share } from './share.ts';

/** Why a holder got no place: it waited too long. */
export class NoPlace extends Error {
  override readonly name = 'NoPlace';
  /** Name of the limit, such as `database connections of this account`. */
  readonly limit: string;
  /** Places that the holder had, or all of them if others had them. */
  readonly held: number;
  constructor(limit: string, held: number) {
    super(`Too many ${limit}: ${held}`);
    this.limit = limit;
    this.held = held;
  }
}

interface Waiting {
  readonly enter: () => void;
}

/**
 * Divides places, such as connections or threads, among holders. Nobody may hold more than what is still free: see
 * {@link Share}. Who finds no place waits for a bounded time. A place that becomes free goes to the holder with the
 * fewest, and among those to the one that has waited longest.
 */
export class FairQueue {
  readonly #share: Share;
  readonly #limit: string;
  readonly #waitMs: number;
  readonly #waiting = new Map<string, Set<Waiting>>();

  /**
   * @param places number of places
   * @param limit name of the limit for messages, such as `database connections of this account`
   * @param waitMs maximum time to wait for a place [ms]
   */
  constructor(places: number, limit: string, waitMs: number) {
    this.#share = new Share(places);
    this.#limit = limit;
    this.#waitMs = waitMs;
  }

  /** Takes a place until {@link leave}. @returns whether there was one; otherwise use {@link wait} */
  enter(holder: string): boolean {
    if (this.#waiting.has(holder) || !this.#share.has(holder, 1)) return false;
    this.#share.take(holder, 1);
    return true;
  }

  /** Waits for a place and takes it until {@link leave}. @throws NoPlace */
  async wait(holder: string): Promise<void> {
    if (this.enter(holder)) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { enter: resolve };
    const queue = this.#waiting.get(holder) ?? new Set();
    this.#waiting.set(holder, queue.add(waiting));
    const late = setTimeout(() => {
      this.#remove(holder, waiting);
      reject(new NoPlace(this.#limit, this.#share.held(holder)));
    }, this.#waitMs);
    try {
      await promise;
    } finally {
      clearTimeout(late);
    }
  }

  /** Number of calls that wait for a place. */
  get waiting(): number {
    let sum = 0;
    for (const { size } of this.#waiting.values()) sum += size;
    return sum;
  }

  /** Gives a place back. */
  leave(holder: string): void {
    this.#share.give(holder, 1);
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const [waiting] = this.#waiting.get(next)!;
      this.#remove(next, waiting!);
      this.#share.take(next, 1);
      waiting!.enter();
    }
  }

  /** Does `work` in a place. @throws NoPlace */
  async with<T>(holder: string, work: () => Promise<T>): Promise<T> {
    await this.wait(holder);
    try {
      return await work();
    } finally {
      this.leave(holder);
    }
  }

  /** The waiting holder that gets the next place; undefined when no waiting holder may have one. */
  #next(): string | undefined {
    let next: string | undefined;
    for (const holder of this.#waiting.keys())
      if (
        this.#share.has(holder, 1) &&
        (next === undefined || this.#share.held(holder) < this.#share.held(next))
      )
        next = holder;
    return next;
  }

  #remove(holder: string, waiting: Waiting): void {
    const queue = this.#waiting.get(holder)!;
    queue.delete(waiting);
    this.#waiting.delete(holder);
    // Behind the others, of whom nobody was served meanwhile.
    if (queue.size > 0) this.#waiting.set(holder, queue);
  }
}

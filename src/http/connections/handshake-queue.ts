/** Order in which waiting connections are served: `good` first. See `connection-table.ts`. */
export type Standing = 'good' | 'new' | 'bad';
const STANDINGS = ['good', 'new', 'bad'] as const;

/**
 * Handshakes per second of addresses that are not in good standing. A handshake takes about a millisecond of the event
 * loop, so they take a tenth of it.
 */
const PER_SECOND = 100;
const BURST = 40; // handshakes that such addresses may begin at once

/**
 * Decides when the TLS handshake of a connection begins. In a turn of the event loop at most one of an address in good
 * standing begins, and one of another address as long as their rate allows it. Waiting addresses are served in a
 * circle, one connection each. Without a flood every handshake begins at once.
 */
export class HandshakeQueue {
  readonly #waiting = STANDINGS.map(() => new Map<string, Set<() => void>>());
  readonly #nowMs: () => number;
  #tokens = BURST;
  #filledMs: number;
  #begunGood = false;
  #begunOther = false;
  #awaitsTurn = false;
  #awaitsToken = false;

  /** @param nowMs a clock that never goes back, ms */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
    this.#filledMs = nowMs();
  }

  /** Begins a handshake, now or later. @returns a function that takes a waiting one out of the queue */
  add(address: string, standing: Standing, begin: () => void): () => void {
    const waiting = this.#waiting[STANDINGS.indexOf(standing)]!;
    const queue = waiting.get(address) ?? new Set();
    waiting.set(address, queue.add(begin));
    this.#pump();
    return () => {
      queue.delete(begin);
      if (queue.size === 0 && waiting.get(address) === queue) waiting.delete(address);
    };
  }

  #pump(): void {
    const [good, fresh, bad] = this.#waiting;
    if (!this.#begunGood) this.#begunGood = beginNext(good!);
    if (!this.#begunOther && fresh!.size + bad!.size > 0 && this.#fill() >= 1) {
      this.#begunOther = beginNext(fresh!) || beginNext(bad!);
      this.#tokens--;
    }
    if (this.#begunGood || this.#begunOther) this.#awaitTurn();
    else if (fresh!.size + bad!.size > 0) this.#awaitToken();
  }

  #awaitTurn(): void {
    if (this.#awaitsTurn) return;
    this.#awaitsTurn = true;
    setImmediate(() => {
      this.#awaitsTurn = false;
      this.#begunGood = false;
      this.#begunOther = false;
      this.#pump();
    });
  }

  #awaitToken(): void {
    if (this.#awaitsToken) return;
    this.#awaitsToken = true;
    const waitMs = ((1 - this.#tokens) / PER_SECOND) * 1000 + 1;
    setTimeout(() => {
      this.#awaitsToken = false;
      this.#pump();
    }, waitMs).unref();
  }

  #fill(): number {
    const nowMs = this.#nowMs();
    this.#tokens = Math.min(BURST, this.#tokens + ((nowMs - this.#filledMs) / 1000) * PER_SECOND);
    this.#filledMs = nowMs;
    return this.#tokens;
  }
}

/** Begins one handshake of the address whose turn it is. @returns whether one waited */
function beginNext(waiting: Map<string, Set<() => void>>): boolean {
  const [first] = waiting;
  if (first === undefined) return false;
  const [address, queue] = first;
  const [begin] = queue;
  queue.delete(begin!);
  waiting.delete(address);
  if (queue.size > 0) waiting.set(address, queue);
  begin!();
  return true;
}

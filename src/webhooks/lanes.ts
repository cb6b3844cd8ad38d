/** Maximum capacity of the quick lane, for attempts younger than a second: about 2 MB of bodies, and 512 sockets. */
const QUICK = 512;
/**
 * Capacity of the quick lane at startup. It is low because at startup each attempt opens a connection, and because
 * each unfinished attempt is sent again if the worker is killed.
 */
const FIRST = 32;
const SLOW = 2_048; // number of attempts of all accounts in the slow lane at which no new attempt may start
const SLOW_OF_ACCOUNT = 128; // number of attempts of one account in the slow lane at which it may not start more

export interface LaneLimits {
  readonly quick: number;
  readonly slow: number;
  readonly slowOfAccount: number;
}

/**
 * Limits the concurrent attempts in two lanes: a quick lane, and a slow lane for attempts that already take a
 * second. The capacity of the quick lane grows by one with each attempt that ends in it. Slow attempts leave the
 * quick lane, so that receivers that hang do not block it. An account with too many slow attempts may not start new
 * attempts.
 */
export class Lanes {
  readonly #limits: LaneLimits;
  #open: number; // current capacity of the quick lane
  #quick = 0;
  #slow = 0;
  readonly #slowByAccount = new Map<string, number>();

  constructor(limits: Partial<LaneLimits> = {}) {
    this.#limits = { quick: QUICK, slow: SLOW, slowOfAccount: SLOW_OF_ACCOUNT, ...limits };
    this.#open = Math.min(FIRST, this.#limits.quick);
  }

  /** Number of attempts that may start. */
  get room(): number {
    return this.#slow >= this.#limits.slow ? 0 : Math.max(0, this.#open - this.#quick);
  }

  /** Accounts that may not start attempts because too many of their attempts are slow. */
  get heldAccounts(): readonly string[] {
    return [...this.#slowByAccount]
      .filter(([, slow]) => slow >= this.#limits.slowOfAccount)
      .map(([accountId]) => accountId);
  }

  /** Records the start of an attempt, which takes place in the quick lane. */
  enter(): void {
    this.#quick += 1;
  }

  /** Moves an attempt to the slow lane. */
  slow(accountId: string): void {
    this.#quick -= 1;
    this.#slow += 1;
    this.#slowByAccount.set(accountId, (this.#slowByAccount.get(accountId) ?? 0) + 1);
  }

  /** Records the end of an attempt. */
  leave(accountId: string, isSlow: boolean): void {
    if (!isSlow) {
      this.#quick -= 1;
      this.#open = Math.min(this.#limits.quick, this.#open + 1);
      return;
    }
    this.#slow -= 1;
    const left = (this.#slowByAccount.get(accountId) ?? 1) - 1;
    if (left === 0) this.#slowByAccount.delete(accountId);
    else this.#slowByAccount.set(accountId, left);
  }
}

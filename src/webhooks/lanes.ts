const QUICK = 512; // attempts younger than a second: about 2 MB of bodies, and as many sockets
const FIRST = 32; // of them while nothing is answered yet: each opens a connection, and a kill now doubles all that arrive
const SLOW = 2_048; // older ones, of all accounts
const SLOW_OF_ACCOUNT = 128; // and of one

export interface LaneLimits {
  readonly quick: number;
  readonly slow: number;
  readonly slowOfAccount: number;
}

/**
 * Two lanes for attempts: quick ones, and those that have gone on for a second. The quick one opens as attempts end, and
 * so doubles in the time that they take. What is slow gives its place in it up, so that receivers that hang do not hold
 * it; and an account with too many of them gets no new ones.
 */
export class Lanes {
  readonly #limits: LaneLimits;
  #open: number; // of the quick lane
  #quick = 0;
  #slow = 0;
  readonly #slowByAccount = new Map<string, number>();

  constructor(limits: Partial<LaneLimits> = {}) {
    this.#limits = { quick: QUICK, slow: SLOW, slowOfAccount: SLOW_OF_ACCOUNT, ...limits };
    this.#open = Math.min(FIRST, this.#limits.quick);
  }

  /** How many attempts may begin. */
  get room(): number {
    return this.#slow >= this.#limits.slow ? 0 : Math.max(0, this.#open - this.#quick);
  }

  /** Accounts that get none for now. */
  get heldAccounts(): readonly string[] {
    return [...this.#slowByAccount]
      .filter(([, slow]) => slow >= this.#limits.slowOfAccount)
      .map(([accountId]) => accountId);
  }

  /** An attempt begins. */
  enter(): void {
    this.#quick += 1;
  }

  /** An attempt has become slow. */
  slow(accountId: string): void {
    this.#quick -= 1;
    this.#slow += 1;
    this.#slowByAccount.set(accountId, (this.#slowByAccount.get(accountId) ?? 0) + 1);
  }

  /** An attempt ends. */
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

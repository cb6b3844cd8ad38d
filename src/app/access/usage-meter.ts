import type { Principal } from './principal.ts';
import type { Clock } from '../clock.ts';
import type { Owner } from '../owner.ts';
import { DAY_MS, formatDay } from '../../base/time.ts';

const FLUSH_MS = 10_000; // interval between two writes to the store
const MAX_UNWRITTEN = 10_000; // maximum number of counts that wait while the store cannot be reached

/** Units that one credential used on one day (UTC, `YYYY-MM-DD`). */
export interface Usage extends Owner {
  readonly credentialId: string;
  readonly day: string;
  readonly units: number;
}

/** Units used, by account, environment, credential and day. */
export interface UsageStore {
  /** Adds to the stored counts. */
  add(usages: readonly Usage[]): Promise<void>;
  /** Units used by all credentials of an owner since a day, newest day first. */
  since(owner: Owner, day: string): Promise<readonly Omit<Usage, 'accountId' | 'environment'>[]>;
}

/** Counts the units that credentials use, in memory, and adds them to the store every ten seconds. */
export class UsageMeter {
  readonly #store: UsageStore;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  #spent = new Map<string, { readonly principal: Principal; units: number }>();
  /** Could not be written, by credential and day: added again the next time. */
  readonly #unwritten = new Map<string, Usage>();
  #day = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: UsageStore, clock: Clock, onError: (error: unknown) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onError = onError;
  }

  spend(principal: Principal, units: number): void {
    const day = Math.floor(this.#clock.now() / DAY_MS);
    if (day !== this.#day) {
      if (this.#spent.size > 0) void this.flush();
      this.#day = day;
    }
    const known = this.#spent.get(principal.keyId);
    if (known !== undefined) {
      known.units += units;
      return;
    }
    this.#spent.set(principal.keyId, { principal, units });
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  /** Adds the units counted since the last call to the store. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const day = formatDay(this.#day * DAY_MS);
    const usages = [...this.#spent.values()]
      .filter(({ units }) => units > 0)
      .map(({ principal: { accountId, environment, keyId }, units }) => ({
        accountId,
        environment,
        credentialId: keyId,
        day,
        units,
      }));
    this.#spent = new Map();
    this.#keep(usages); // together, since a row is added to once in a statement
    const all = [...this.#unwritten.values()];
    this.#unwritten.clear();
    if (all.length > 0)
      this.#writing = this.#writing
        .then(() => this.#store.add(all))
        .catch((error: unknown) => {
          this.#keep(all);
          this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
          this.#onError(error);
        });
    return this.#writing;
  }

  #keep(usages: readonly Usage[]): void {
    for (const usage of usages) {
      const key = `${usage.day} ${usage.credentialId}`;
      const units = usage.units + (this.#unwritten.get(key)?.units ?? 0);
      if (this.#unwritten.has(key) || this.#unwritten.size < MAX_UNWRITTEN)
        this.#unwritten.set(key, { ...usage, units });
    }
  }
}

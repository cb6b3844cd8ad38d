import type { AuditEntry, AuditStore } from './audit-store.ts';

const FLUSH_MS = 10_000; // interval between two writes to the audit log
const MAX_KINDS = 1000; // maximum number of distinct actions per write; further ones share one entry per result

/** An action that may happen often: the refusal of a request, or the issue of a token. */
export type FrequentAct = Omit<AuditEntry, 'count' | 'requestId' | 'target'>;

/**
 * Collects audit entries for actions that clients can repeat at will. Equal actions within ten seconds become one
 * entry with a count.
 */
export class AuditTrail {
  readonly #store: Pick<AuditStore, 'record'>;
  readonly #onError: (error: unknown) => void;
  #waiting = new Map<string, AuditEntry & { count: number }>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: Pick<AuditStore, 'record'>, onError: (error: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  note(act: FrequentAct): void {
    this.#count(act, 1);
  }

  #count(act: FrequentAct, times: number): void {
    const { actor, action, address, result } = act;
    let key = JSON.stringify([actor, action, address, result]);
    let entry = act;
    if (!this.#waiting.has(key) && this.#waiting.size >= MAX_KINDS) {
      key = result;
      entry = { ...act, actor: 'many', action: 'many', address: null, accountId: null, environment: null };
    }
    const known = this.#waiting.get(key);
    if (known !== undefined) known.count += times;
    else this.#waiting.set(key, { ...entry, requestId: null, target: null, count: times });
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  /** Writes the entries collected since the last call. Those that cannot be written wait for the next time. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const entries = [...this.#waiting.values()];
    this.#waiting = new Map();
    if (entries.length > 0)
      this.#writing = this.#writing
        .then(() => this.#store.record(entries))
        .catch((error: unknown) => {
          for (const { count, ...act } of entries) this.#count(act, count);
          this.#onError(error);
        });
    return this.#writing;
  }
}

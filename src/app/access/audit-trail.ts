import type { AuditEntry, AuditStore } from './audit-store.ts';

const FLUSH_MS = 10_000; // between writes
const MAX_KINDS = 1000; // of acts told apart in that time; of what is more, only how often

/** What may happen often: a refusal, with its reason, or a token that was issued. */
export type FrequentAct = Omit<AuditEntry, 'count' | 'requestId' | 'target'>;

/**
 * Gathers what anyone may cause as often as they like for the audit log: the same one again within ten
 * seconds is counted, and not recorded once more.
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
    const { actor, action, address, result } = act;
    let key = JSON.stringify([actor, action, address, result]);
    let told = act;
    if (!this.#waiting.has(key) && this.#waiting.size >= MAX_KINDS) {
      key = result;
      told = { ...act, actor: 'many', action: 'many', address: null, accountId: null, environment: null };
    }
    const known = this.#waiting.get(key);
    if (known !== undefined) known.count += 1;
    else this.#waiting.set(key, { ...told, requestId: null, target: null, count: 1 });
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  /** Records what was gathered since the last time. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const entries = [...this.#waiting.values()];
    this.#waiting = new Map();
    if (entries.length > 0)
      this.#writing = this.#writing.then(() => this.#store.record(entries)).catch(this.#onError);
    return this.#writing;
  }
}

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { Bell } from '../../base/waiting/bell.ts';
import { errorCode } from '../connection/error-code.ts';
import { type Ask, prepare } from '../connection/prepared.ts';
import type { Database } from '../schema.ts';

/** Interval between two questions while work was found in the last {@link CALM_MS} [ms]. */
const BUSY_MS = 250;
/** Interval between two questions at rest [ms]: the longest time for which work of another process is not seen. */
const REST_MS = 500;
const CALM_MS = 5_000; // time without work after which the questions are rarer
const GAP_MS = 50; // shortest pause between two questions, however often it is nudged
/**
 * Time after which a worker that is woken by the pulse looks all the same [ms]. A condition that misses work by mistake
 * delays it by this time, and loses nothing.
 */
export const UNWOKEN_MS = 30_000;
/** Class of the SQLSTATE of a statement that the server does not understand, such as 42P01: there is no such table. */
const NOT_UNDERSTOOD = '42';

/** A kind of work that may wait in the database. */
export interface PulseWatch {
  /** What waits, for people who read the statement. */
  readonly name: string;
  /**
   * Scalar SQL expression without parameters: null, false or an empty array while nothing waits. It should read a few rows
   * of an index, since it is asked several times a second. In an `exists`, PostgreSQL ignores `order by`, so
   * `(select true from ... order by ... limit 1)` is how to name an index.
   */
  readonly waits: string;
  /** Called with the value of the expression when something waits, as often as the question is asked. Must not throw. */
  readonly look: (found: unknown) => void;
}

/** Times of a {@link Pulse}, for tests [ms]. */
export interface PulseTimes {
  readonly busyMs?: number;
  readonly restMs?: number;
}

/**
 * Asks the database with one small question what kinds of work wait, and wakes the workers of those. Each process with
 * workers has one: without it, each worker would ask for itself. It needs no LISTEN, so it works behind a pooler.
 */
export class Pulse {
  readonly #db: Kysely<Database>;
  readonly #onError: (error: unknown) => void;
  readonly #times: Required<PulseTimes>;
  readonly #watches = new Set<PulseWatch>();
  readonly #bell = new Bell();
  readonly #stopping = new AbortController();
  #ask: Ask<Readonly<Record<string, unknown>>> | undefined;
  #running: Promise<void> | undefined;

  /** @param onError called when the question fails, once for the same failure in a row */
  constructor(db: Kysely<Database>, onError: (error: unknown) => void, times: PulseTimes = {}) {
    this.#db = db;
    this.#onError = onError;
    this.#times = { busyMs: BUSY_MS, restMs: REST_MS, ...times };
  }

  /** Adds a kind of work to the question. @returns a function that takes it out */
  watch(watch: PulseWatch): () => void {
    this.#watches.add(watch);
    this.#ask = undefined;
    return () => {
      this.#watches.delete(watch);
      this.#ask = undefined;
    };
  }

  /** Begins to ask. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Asks at once, because this process has committed something. Does nothing before the start. */
  nudge(): void {
    if (this.#running !== undefined) this.#bell.ring();
  }

  /** Stops asking, and waits for a question that is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#bell.ring();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let busyAt = performance.now();
    let failing: string | undefined;
    while (!signal.aborted) {
      try {
        if (await this.#look(signal)) busyAt = performance.now();
        failing = undefined;
      } catch (error) {
        if (!signal.aborted && String(error) !== failing) this.#onError(error);
        failing = String(error);
        // Another release may have changed a table that one of the watches reads. The others go on.
        if (errorCode(error)?.startsWith(NOT_UNDERSTOOD))
          for (const { look } of this.#watches) look(undefined);
      }
      await sleep(GAP_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const isCalm = performance.now() - busyAt > CALM_MS;
      await this.#bell.wait((isCalm ? this.#times.restMs : this.#times.busyMs) - GAP_MS);
    }
  }

  /** Asks once, and wakes the workers that have work. @returns whether any has */
  async #look(signal: AbortSignal): Promise<boolean> {
    const asked = [...this.#watches];
    if (asked.length === 0) return false;
    this.#ask ??= questionOf(asked);
    const [row] = await this.#ask(this.#db, []);
    if (signal.aborted) return false;
    const found = asked
      .map((watch, i) => ({ watch, value: row?.[`w${i}`] }))
      .filter(({ watch, value }) => isWork(value) && this.#watches.has(watch));
    for (const { watch, value } of found) watch.look(value);
    return found.length > 0;
  }
}

function questionOf(watches: readonly PulseWatch[]): Ask<Readonly<Record<string, unknown>>> {
  const columns = watches.map(({ name, waits }, i) => `${waits} as w${i} /* ${name} */`);
  const text = `select ${columns.join(',\n  ')}`;
  return prepare(`pulse ${createHash('sha256').update(text).digest('base64url').slice(0, 16)}`, text);
}

function isWork(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined && value !== false;
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS } from '../base/time.ts';
import type { Environment } from './owner.ts';

const LOOK_MS = 5_000; // interval between two checks for a feed that is due
// A process that dies gives its feed up within 15 s: the lease, and the interval between two checks of another.
const HELD_MS = 10_000; // duration of the lease of a feed, unless it is renewed
const RENEW_MS = 3_000;
const RETRY_MS = HOUR_MS; // maximum time until the next turn of a feed of which a part failed

/** A feed that the service reads again and again: a catalogue, or stations of a provider. The operator adds it. */
export interface Feed {
  readonly id: string;
  readonly environment: Environment;
  /** Account that it serves; null: all accounts of the environment. */
  readonly accountId: string | null;
  /** Unique in the environment. */
  readonly name: string;
  /** Start of the history that is read at first. */
  readonly startsAt: Date;
  /** Time between two turns [ms]. */
  readonly everyMs: number;
  /** When the next turn is due. */
  readonly nextAt: Date;
}

/**
 * Feeds of one kind, of all accounts.
 * @typeParam Held a feed as it is leased
 * @typeParam Outcome what is recorded at the end of a turn
 */
export interface FeedStore<F extends Feed, Held extends F, Outcome> {
  list(): Promise<readonly F[]>;
  find(environment: Environment, name: string): Promise<F | undefined>;
  remove(id: string): Promise<void>;
  /**
   * Leases a feed, so that no other process reads it at the same time. The lease ends after `forMs` unless renewed.
   * @param id feed to lease, due or not. Default: the feed that has been due longest
   * @returns undefined when there is no such feed, another process has leased it, or it may not be read now
   */
  hold(holder: string, forMs: number, id?: string): Promise<Held | undefined>;
  /** Extends a lease. Returns false when the holder has lost it. */
  renew(id: string, holder: string, forMs: number): Promise<boolean>;
  /** Ends a lease. @param outcome undefined: the feed was not read whole, and its next turn stays as it was */
  release(id: string, holder: string, outcome?: Outcome): Promise<void>;
}

/** Time until the next turn of a feed [ms]. @param isWhole whether no part of it failed */
export const againInMs = ({ everyMs }: Pick<Feed, 'everyMs'>, isWhole: boolean): number =>
  isWhole ? everyMs : Math.min(everyMs, RETRY_MS);

/**
 * Reads feeds in a loop, each when it is due. Several processes may run this loop; only one of them leases a feed at a
 * time.
 * @param take takes one turn, and returns false when no feed is due
 * @returns a function that stops the loop after the part that is being read
 */
export function keepFeeds(
  take: (stop: AbortSignal) => Promise<boolean>,
  onError: (error: unknown) => void,
  lookMs = LOOK_MS,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const taken = await take(signal).catch((error: unknown) => {
        onError(error);
        return false;
      });
      if (!taken) await sleep(lookMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
}

/**
 * Leases one feed and reads it.
 * @param read reads the feed until it is told to end, and returns what is recorded; nothing is recorded of a turn that was
 * told to end
 * @param id feed to read, due or not. Default: the feed that has been due longest
 * @returns false when there is no such feed, another process has leased it, or it may not be read now
 */
export async function takeFeedTurn<F extends Feed, Held extends F, Outcome>(
  feeds: FeedStore<F, Held, Outcome>,
  read: (feed: Held, end: AbortSignal) => Promise<Outcome | undefined>,
  stop: AbortSignal,
  id?: string,
): Promise<boolean> {
  const holder = randomUUID();
  const feed = await feeds.hold(holder, HELD_MS, id);
  if (feed === undefined) return false;
  const lost = new AbortController();
  const renewal = setInterval(() => {
    feeds.renew(feed.id, holder, HELD_MS).then(
      (isOurs) => void (isOurs || lost.abort()),
      () => undefined, // the database is unreachable: the lease is not renewed, but is valid until its end
    );
  }, RENEW_MS);
  const end = AbortSignal.any([stop, lost.signal]);
  let outcome: Outcome | undefined;
  try {
    outcome = await read(feed, end);
  } finally {
    clearInterval(renewal);
    await feeds.release(feed.id, holder, end.aborted ? undefined : outcome);
  }
  return true;
}

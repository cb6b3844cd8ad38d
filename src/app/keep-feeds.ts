import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FollowDeps, followFeed, type FollowReport } from './follow-feed.ts';
import type { StandingFeed } from './standing-feed-store.ts';

const LOOK_MS = 5_000; // between looks at what is due
const HELD_MS = 60_000; // after which a holder that is gone has lost a feed
const RENEW_MS = 15_000;
const RETRY_MS = 3_600_000; // after which a feed that failed somewhere is asked again, if it is not due before

/** What is told of each turn. */
export type TellTurn = (feed: StandingFeed, report: FollowReport) => void;

/**
 * Asks standing feeds as they fall due, and for new areas at once. Any number of processes may do this: each feed is
 * held by one.
 * @returns what stops it, once the scene under way is durable
 */
export function keepFeeds(
  deps: FollowDeps,
  tell: TellTurn,
  onError: (error: unknown) => void,
  lookMs = LOOK_MS,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const taken = await takeTurn(deps, tell, signal).catch((error: unknown) => {
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
 * Asks one feed while nobody else does.
 * @param id that one, due or not; absent: the one due longest
 * @returns false when there is none, or another process has it
 */
export async function takeTurn(
  deps: FollowDeps,
  tell: TellTurn,
  stop: AbortSignal,
  id?: string,
  progress?: (done: number, total: number) => void,
): Promise<boolean> {
  const feeds = deps.storage.standingFeeds;
  const holder = randomUUID();
  const held = await feeds.hold(holder, HELD_MS, id);
  if (held === undefined) return false;
  const lost = new AbortController();
  const { feed, isDue } = held;
  const which = isDue || id !== undefined ? 'all' : 'new';
  const renewal = setInterval(() => {
    feeds.renew(feed.id, holder, HELD_MS).then(
      (isOurs) => void (isOurs || lost.abort()),
      () => undefined, // the database is away: it is ours until it runs out
    );
  }, RENEW_MS);
  let againInMs: number | null = null;
  try {
    const report = await followFeed(deps, feed, which, AbortSignal.any([stop, lost.signal]), progress);
    if (!stop.aborted) {
      if (which === 'all') againInMs = feed.everyMs;
      if (report.problems.length > 0) againInMs = Math.min(feed.everyMs, RETRY_MS);
    }
    tell(feed, report);
  } finally {
    clearInterval(renewal);
    await feeds.release(feed.id, holder, againInMs);
  }
  return true;
}

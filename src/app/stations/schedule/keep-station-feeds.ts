import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS } from '../../../base/time.ts';
import { fetchStationFeed, type StationFeedDeps, type StationFeedReport } from './follow-stations.ts';
import type { StationFeed } from './station-feed-store.ts';

const LOOK_MS = 5_000; // interval between two checks for a feed that is due
// A process that dies gives its feed up within 15 s: the lease, and the interval between two checks of another.
const HELD_MS = 10_000; // duration of the lease of a feed, unless it is renewed
const RENEW_MS = 3_000;
const RETRY_MS = HOUR_MS; // maximum time until the next request after a station failed

/** Called after each turn of a feed. */
export type OnFetched = (feed: StationFeed, report: StationFeedReport) => void;

/**
 * Fetches feeds of stations in a loop, each when it is due. Several processes may run this loop; only one of them
 * leases a feed at a time.
 * @returns a function that stops the loop after the current station
 */
export function keepStationFeeds(
  deps: StationFeedDeps,
  onFetched: OnFetched,
  onError: (error: unknown) => void,
  lookMs = LOOK_MS,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const taken = await takeStationTurn(deps, onFetched, signal).catch((error: unknown) => {
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
 * Leases one feed and fetches its stations.
 * @param id feed to fetch, due or not. Default: the feed that has been due longest
 * @returns false when there is no such feed, or another process has leased it
 */
export async function takeStationTurn(
  deps: StationFeedDeps,
  onFetched: OnFetched,
  stop: AbortSignal,
  id?: string,
): Promise<boolean> {
  const { stationFeeds } = deps.storage;
  const holder = randomUUID();
  const feed = await stationFeeds.hold(holder, HELD_MS, id);
  if (feed === undefined) return false;
  const lost = new AbortController();
  const renewal = setInterval(() => {
    stationFeeds.renew(feed.id, holder, HELD_MS).then(
      (isOurs) => void (isOurs || lost.abort()),
      () => undefined, // the database is unreachable: the lease is not renewed, but is valid until its end
    );
  }, RENEW_MS);
  let outcome: Parameters<typeof stationFeeds.release>[2];
  try {
    const ended = AbortSignal.any([stop, lost.signal]);
    const askedAt = new Date(deps.clock.now());
    const report = await fetchStationFeed(deps, feed, ended);
    const { problems, stations } = report;
    const [first] = problems;
    if (!ended.aborted)
      outcome = {
        askedAt,
        stations,
        problem:
          first === undefined
            ? null
            : `${problems.length} of ${stations.length} stations failed; ${first.station}: ${first.problem}`,
        againInMs: first === undefined ? feed.everyMs : Math.min(feed.everyMs, RETRY_MS),
      };
    onFetched(feed, report);
  } finally {
    clearInterval(renewal);
    await stationFeeds.release(feed.id, holder, outcome);
  }
  return true;
}

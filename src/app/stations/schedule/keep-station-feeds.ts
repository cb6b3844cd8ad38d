import { againInMs, takeFeedTurn } from '../../feed-turns.ts';
import { fetchStationFeed, type StationFeedDeps, type StationFeedReport } from './follow-stations.ts';
import type { StationFeed } from './station-feed-store.ts';

/** Called after each turn of a feed. */
export type OnFetched = (feed: StationFeed, report: StationFeedReport) => void;

/**
 * Leases one feed and fetches its stations.
 * @param id feed to fetch, due or not. Default: the feed that has been due longest
 * @returns false when there is no such feed, another process has leased it, or its account is disabled
 */
export async function takeStationTurn(
  deps: StationFeedDeps,
  onFetched: OnFetched,
  stop: AbortSignal,
  id?: string,
): Promise<boolean> {
  return await takeFeedTurn(
    deps.storage.stationFeeds,
    async (feed, end) => {
      const askedAt = new Date(deps.clock.now());
      const report = await fetchStationFeed(deps, feed, end);
      onFetched(feed, report);
      const { problems, stations } = report;
      const [first] = problems;
      const problem =
        first === undefined
          ? null
          : `${problems.length} of ${stations.length} stations failed; ${first.station}: ${first.problem}`;
      return { askedAt, stations, problem, againInMs: againInMs(feed, first === undefined) };
    },
    stop,
    id,
  );
}

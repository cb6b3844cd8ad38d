import type { Feed, FeedStore } from '../../feed-turns.ts';
import type { Owner } from '../../owner.ts';
import type { FedStation, ProviderName } from './providers.ts';

/** Stations of one provider whose series the service fetches on a schedule, into the collection of the feed's name. */
export interface StationFeed extends Feed {
  readonly provider: ProviderName;
  /** Base address of a copy of the provider's files; null: the provider. */
  readonly base: string | null;
  readonly metric: string;
  readonly stations: readonly FedStation[];
  /** When it was fetched last; null: never. */
  readonly askedAt: Date | null;
  /** Error message of the last request; null when all its stations succeeded. */
  readonly problem: string | null;
}

/** What is recorded when the stations of a feed were fetched. */
export interface FetchedStations extends Pick<StationFeed, 'problem' | 'stations'> {
  readonly askedAt: Date;
  readonly againInMs: number;
}

/** Station feeds of all accounts. */
export interface StationFeedStore extends FeedStore<StationFeed, StationFeed, FetchedStations> {
  /** Adds a feed, which is due at once. Returns false when the environment already has a feed of that name. */
  create(feed: Omit<StationFeed, 'nextAt' | 'askedAt' | 'problem'>): Promise<boolean>;
  /** Lists the feeds whose series an owner reads, by name. */
  serving(owner: Owner): Promise<readonly StationFeed[]>;
}

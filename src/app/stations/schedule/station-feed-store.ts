import type { Environment, Owner } from '../../owner.ts';
import type { FedStation, ProviderName } from './providers.ts';

/** Stations of one provider whose series the service fetches on a schedule, into the collection of the feed's name. */
export interface StationFeed {
  readonly id: string;
  readonly environment: Environment;
  /** Account that alone reads the series; null: all accounts of the environment. */
  readonly accountId: string | null;
  /** Name of the feed and of the collection. */
  readonly name: string;
  readonly provider: ProviderName;
  /** Base address of a copy of the provider's files; null: the provider. */
  readonly base: string | null;
  readonly metric: string;
  readonly stations: readonly FedStation[];
  /** Start of the history that the first request asks for. */
  readonly startsAt: Date;
  readonly everyMs: number;
  readonly nextAt: Date;
  /** When it was fetched last; null: never. */
  readonly askedAt: Date | null;
  /** Error message of the last request; null when all its stations succeeded. */
  readonly problem: string | null;
}

/** Station feeds of all accounts. The operator adds them. */
export interface StationFeedStore {
  /** Adds a feed, which is due at once. Returns false when the environment already has a feed of that name. */
  create(feed: Omit<StationFeed, 'nextAt' | 'askedAt' | 'problem'>): Promise<boolean>;
  list(): Promise<readonly StationFeed[]>;
  /** Lists the feeds whose series an owner reads, by name. */
  serving(owner: Owner): Promise<readonly StationFeed[]>;
  find(environment: Environment, name: string): Promise<StationFeed | undefined>;
  remove(id: string): Promise<void>;
  /**
   * Leases a feed, so that no other process fetches it at the same time. The lease ends after `forMs` unless renewed.
   * @param id feed to lease, due or not. Default: the feed that has been due longest
   * @returns undefined when there is no such feed, or another process has leased it
   */
  hold(holder: string, forMs: number, id?: string): Promise<StationFeed | undefined>;
  /** Extends a lease. Returns false when the holder has lost it. */
  renew(id: string, holder: string, forMs: number): Promise<boolean>;
  /** Ends a lease. @param outcome undefined: the feed was not fetched whole, and stays due */
  release(
    id: string,
    holder: string,
    outcome?: Pick<StationFeed, 'problem' | 'stations'> & {
      readonly askedAt: Date;
      readonly againInMs: number;
    },
  ): Promise<void>;
}

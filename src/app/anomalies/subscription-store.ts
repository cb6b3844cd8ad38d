import type { Aoi } from '../areas/aoi-store.ts';
import type { QuietHours } from '../events/quiet-hours.ts';
import type { Environment, Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Peril } from '../../contract/fields.ts';
import type { Digest } from '../../contract/vocabulary.ts';
import type { SubscriptionStatus } from '../../contract/subscriptions.ts';
import type { Bbox } from '../../geo/bbox.ts';

export interface Subscription extends Owner {
  readonly id: string;
  readonly aoiId: string;
  readonly perils: readonly Peril[];
  readonly status: SubscriptionStatus;
  /** When its events are held back; null: never. */
  readonly quietHours: QuietHours | null;
  /** How often its events are gathered; null: each is sent at once. */
  readonly digest: Digest | null;
  /** Whether what was past when it was found is sent too. */
  readonly past: boolean;
  readonly createdAt: Date;
}

export interface SubscriptionStore {
  /**
   * Creates a subscription. Returns undefined if a subscription with the same area and perils exists that is not
   * cancelled, even if another call creates it at the same time.
   */
  create(
    subscription: Omit<Subscription, 'createdAt' | 'quietHours' | 'digest' | 'past'> & {
      readonly past?: boolean;
    },
  ): Promise<Subscription | undefined>;
  /** Finds the subscription with the same area and perils (sorted) that is not cancelled. */
  findSame(owner: Owner, aoiId: string, perils: readonly Peril[]): Promise<Subscription | undefined>;
  find(owner: Owner, id: string): Promise<Subscription | undefined>;
  list(owner: Owner, page: PageRequest): Promise<Page<Subscription>>;
  /** Sets the status. Returns undefined if there is no such subscription, or if it was cancelled (which is final). */
  setStatus(owner: Owner, id: string, status: SubscriptionStatus): Promise<Subscription | undefined>;
  /** Sets how events are sent. Returns undefined if there is no such subscription, or if it was cancelled. */
  setSending(
    owner: Owner,
    id: string,
    how: {
      readonly quietHours?: QuietHours | null;
      readonly digest?: Digest | null;
      readonly past?: boolean;
    },
  ): Promise<Subscription | undefined>;
  /** Active subscriptions of all owners whose last digest was made before the present hour or day (UTC) began. */
  withDueDigest(limit: number): Promise<readonly Subscription[]>;
  /**
   * Notes that a digest is made.
   * @returns when the one before was made; undefined if the subscription has no due digest any more
   */
  noteDigest(owner: Owner, id: string, at: Date): Promise<Date | undefined>;
  /** Active subscriptions on some areas of an owner. */
  activeOn(
    owner: Owner,
    aoiIds: readonly string[],
  ): Promise<readonly Pick<Subscription, 'aoiId' | 'perils' | 'quietHours' | 'digest' | 'past'>[]>;
  /** Active subscriptions of one account (null: of all accounts) on areas whose bounds overlap a box. */
  activeOver(
    environment: Environment,
    accountId: string | null,
    bounds: Bbox,
  ): Promise<readonly { subscription: Subscription; aoi: Aoi }[]>;
}

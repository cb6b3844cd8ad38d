import type { Aoi } from '../areas/aoi-store.ts';
import type { Environment, Owner, Page, PageRequest } from '../owner.ts';
import type { Peril } from '../../contract/fields.ts';
import type { SubscriptionStatus } from '../../contract/subscriptions.ts';
import type { Bbox } from '../../geo/bbox.ts';

export interface Subscription extends Owner {
  readonly id: string;
  readonly aoiId: string;
  readonly perils: readonly Peril[];
  readonly status: SubscriptionStatus;
  readonly createdAt: Date;
}

export interface SubscriptionStore {
  /** Undefined when there is a live one on the same area and perils, also one that another call makes just now. */
  create(subscription: Omit<Subscription, 'createdAt'>): Promise<Subscription | undefined>;
  /** The live one on the same area and perils (given sorted). */
  same(owner: Owner, aoiId: string, perils: readonly Peril[]): Promise<Subscription | undefined>;
  find(owner: Owner, id: string): Promise<Subscription | undefined>;
  list(owner: Owner, page: PageRequest): Promise<Page<Subscription>>;
  /** Undefined when there is none, or it was cancelled: that is final. */
  setStatus(owner: Owner, id: string, status: SubscriptionStatus): Promise<Subscription | undefined>;
  /** Active ones, of all accounts or one, on areas whose bounds overlap. */
  activeOver(
    environment: Environment,
    accountId: string | null,
    bounds: Bbox,
  ): Promise<readonly { subscription: Subscription; aoi: Aoi }[]>;
}

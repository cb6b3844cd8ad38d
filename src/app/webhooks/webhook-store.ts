import type { Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';

export interface WebhookRecord extends Owner {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly status: 'active' | 'disabled';
  readonly disabledReason: string | null;
  readonly createdAt: Date;
}

export interface WebhookStore {
  create(webhook: Omit<WebhookRecord, 'createdAt' | 'disabledReason'>, secret: string): Promise<void>;
  find(owner: Owner, id: string): Promise<WebhookRecord | undefined>;
  list(owner: Owner, page: PageRequest): Promise<Page<WebhookRecord>>;
  update(
    owner: Owner,
    id: string,
    patch: {
      readonly url?: string;
      readonly events?: readonly string[];
      readonly status?: 'active' | 'disabled';
    },
  ): Promise<WebhookRecord | undefined>;
  remove(owner: Owner, id: string): Promise<boolean>;
  /**
   * Adds a signing secret. Earlier secrets are used until the given time at the latest. Returns false when there is no
   * such endpoint.
   * @throws InvalidInput when the endpoint already has the maximum number of valid secrets
   */
  rotate(owner: Owner, id: string, secret: string, until: Date): Promise<boolean>;
}

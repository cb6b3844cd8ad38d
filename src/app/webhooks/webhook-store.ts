import type { Owner, Page, PageRequest } from '../owner.ts';

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
   * Puts a new secret in front; those before it sign until a time at the latest. False when there is no endpoint.
   * @throws InvalidInput when as many sign as may
   */
  rotate(owner: Owner, id: string, secret: string, until: Date): Promise<boolean>;
}

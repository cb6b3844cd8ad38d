import type { Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';

export type WebhookStatus =
  | 'active'
  | 'disabled'
  /** An e-mail address whose recipient has not confirmed it yet. */
  | 'unconfirmed';

export interface WebhookRecord extends Owner {
  readonly id: string;
  /** Address that is called; of an e-mail endpoint `mailto:` and the address. */
  readonly url: string;
  /** E-mail address; null for a webhook. */
  readonly email: string | null;
  readonly events: readonly string[];
  readonly status: WebhookStatus;
  readonly disabledReason: string | null;
  readonly createdAt: Date;
}

/** Secrets of the links in the mails to an endpoint. */
export interface LinkSecrets {
  readonly confirm: string;
  readonly confirmUntil: Date;
  readonly stop: string;
}

export interface WebhookStore {
  create(
    webhook: Omit<WebhookRecord, 'createdAt' | 'disabledReason' | 'email'>,
    secret: string,
  ): Promise<void>;
  /** Adds an e-mail address, which its recipient has to confirm. */
  createMail(
    endpoint: Owner & Pick<WebhookRecord, 'id' | 'events'> & { readonly address: string },
    links: LinkSecrets,
  ): Promise<void>;
  /** Gives an address that is not confirmed another link. Returns false when there is none to confirm. */
  renewConfirmation(
    owner: Owner,
    id: string,
    confirm: Pick<LinkSecrets, 'confirm' | 'confirmUntil'>,
  ): Promise<boolean>;
  find(owner: Owner, id: string): Promise<WebhookRecord | undefined>;
  list(owner: Owner, page: PageRequest): Promise<Page<WebhookRecord>>;
  /** An address that is not confirmed becomes `unconfirmed` in place of `active`. */
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

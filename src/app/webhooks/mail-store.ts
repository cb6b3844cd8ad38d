import type { Owner } from '../owner.ts';

/** What the box of an e-mail endpoint holds. Only the service that sends mails needs it. */
export interface MailBox {
  readonly address: string;
  /** Secret of the link that ends the mails. */
  readonly stop: string;
  /** Secret of the link that confirms the address; absent once it is confirmed. */
  readonly confirm?: string | undefined;
}

/** An endpoint that a link of a mail is about. */
export interface LinkedEndpoint extends Owner {
  readonly id: string;
}

/** Why a mail may not be sent now. */
export type MailRefusal =
  /** A bound of this UTC day is reached. */
  | 'bound'
  /** Its recipient wants no mail of this service. */
  | 'refused';

/** What the links of mails do, and the bounds on mails. Only for use across accounts. */
export interface MailStore {
  /** Confirms an address by the secret of its link. @returns undefined when it is unknown, used or too old */
  confirm(secret: string): Promise<LinkedEndpoint | undefined>;
  /**
   * Ends the mails to an endpoint by the secret of its link. If the address was not confirmed, nobody can have another
   * confirmation sent to it. @returns undefined when the secret is unknown
   */
  stop(secret: string): Promise<LinkedEndpoint | undefined>;
  /** Counts a mail that is about to be sent. @returns why it may not be sent; undefined when it may */
  take(mail: {
    readonly accountId: string;
    readonly address: string;
    readonly isConfirmation: boolean;
  }): Promise<MailRefusal | undefined>;
}

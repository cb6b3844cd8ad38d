import type { Owner, Page, PageRequest } from '../owner.ts';

export type DeliveryStatus = 'pending' | 'succeeded' | 'dead';

/** What is remembered of one attempt. */
export interface LoggedAttempt {
  readonly at: string;
  /** HTTP status; null when no whole answer came. */
  readonly status: number | null;
  readonly duration_ms: number;
  readonly error: string | null;
}

/** One event on its way to one endpoint. */
export interface DeliveryRecord {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly createdAt: Date;
  /** Null when it waits for nothing. */
  readonly nextAttemptAt: Date | null;
  readonly lastAttempt: LoggedAttempt | null;
}

export interface DeliveryDetail extends DeliveryRecord {
  /** JSON text of the event. */
  readonly payload: string;
  /** The first made first, each with the start of the answer. */
  readonly log: readonly (LoggedAttempt & { readonly answer: string })[];
}

/** What became of every delivery of the last 30 days, and the ways to send one again. */
export interface DeliveryLog {
  list(
    owner: Owner,
    webhookId: string,
    page: PageRequest,
    status?: DeliveryStatus,
  ): Promise<Page<DeliveryRecord>>;
  find(owner: Owner, webhookId: string, id: string): Promise<DeliveryDetail | undefined>;
  /** Makes a delivery due at once, its schedule begun anew; one that is just being sent is left to it. */
  repeat(owner: Owner, webhookId: string, id: string): Promise<void>;
  /** The same for all dead ones of events since a time. @returns how many */
  repeatDead(owner: Owner, webhookId: string, since: Date): Promise<number>;
  /** How long what should have been tried has been waiting [s], of all accounts; 0 where nothing is due. */
  overdueSeconds(): Promise<number>;
}

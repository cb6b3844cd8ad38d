import type { Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';

export type DeliveryStatus = 'pending' | 'succeeded' | 'dead';

/** Logged result of one attempt. */
export interface LoggedAttempt {
  readonly at: string;
  /** HTTP status; null when no complete response arrived. */
  readonly status: number | null;
  readonly duration_ms: number;
  readonly error: string | null;
}

/** Delivery of one event to one endpoint. */
export interface DeliveryRecord {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly createdAt: Date;
  /** Null when no attempt is scheduled. */
  readonly nextAttemptAt: Date | null;
  readonly lastAttempt: LoggedAttempt | null;
}

export interface DeliveryDetail extends DeliveryRecord {
  /** JSON text of the event. */
  readonly payload: string;
  /** All attempts in order, each with the start of the response. */
  readonly log: readonly (LoggedAttempt & { readonly answer: string })[];
}

/** Deliveries of the last 30 days, and functions to send them again. */
export interface DeliveryLog {
  list(
    owner: Owner,
    webhookId: string,
    page: PageRequest,
    status?: DeliveryStatus,
  ): Promise<Page<DeliveryRecord>>;
  find(owner: Owner, webhookId: string, id: string): Promise<DeliveryDetail | undefined>;
  /** Makes a delivery due now and restarts its retry schedule. A delivery that is being sent is left as it is. */
  repeat(owner: Owner, webhookId: string, id: string): Promise<void>;
  /** Does the same for all dead deliveries of events since a time. @returns their number */
  repeatDead(owner: Owner, webhookId: string, since: Date): Promise<number>;
  /** Age of the oldest overdue attempt of all accounts [s]; 0 when nothing is due. */
  overdueSeconds(): Promise<number>;
}

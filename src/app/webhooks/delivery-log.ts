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
  /** Time of the next attempt; null when none is scheduled. */
  readonly nextAttemptAt: Date | null;
  readonly lastAttempt: LoggedAttempt | null;
}

export interface DeliveryDetail extends DeliveryRecord {
  /** JSON text of the event. */
  readonly payload: string;
  /** All attempts in order, each with the first part of the response. */
  readonly log: readonly (LoggedAttempt & { readonly answer: string })[];
}

/** Lists the deliveries that are still stored, and sends deliveries again. */
export interface DeliveryLog {
  list(
    owner: Owner,
    webhookId: string,
    page: PageRequest,
    status?: DeliveryStatus,
  ): Promise<Page<DeliveryRecord>>;
  find(owner: Owner, webhookId: string, id: string): Promise<DeliveryDetail | undefined>;
  /** Makes a delivery due now and restarts its retry schedule. Does not change a delivery that is being sent. */
  repeat(owner: Owner, webhookId: string, id: string): Promise<void>;
  /** Sends all dead deliveries of events since a time again, as `repeat` does. @returns number of deliveries */
  repeatDead(owner: Owner, webhookId: string, since: Date): Promise<number>;
  /** Returns how long the oldest due attempt of all accounts has been overdue [s]; 0 when no attempt is due. */
  overdueSeconds(): Promise<number>;
}

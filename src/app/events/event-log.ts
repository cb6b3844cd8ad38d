import type { EventType } from '../../contract/events.ts';
import type { Owner } from '../owner.ts';

/**
 * Where an event stands in the order of commits: by the transaction that wrote it, then by its own identifier. What is
 * written later may have an earlier place only while its transaction is still open, and until then nothing behind it is shown.
 */
export interface EventPosition {
  /** Number of the transaction, as PostgreSQL's `xid8` in decimal. */
  readonly xid: string;
  readonly id: string;
}

/** One event as it was written. */
export interface LoggedEvent extends EventPosition {
  readonly type: EventType;
  /** JSON text, as it is delivered. */
  readonly body: string;
}

export interface EventQuery {
  /** Only what follows in the order asked for; undefined: from its beginning. */
  readonly after: EventPosition | undefined;
  /** Absent: oldest first. */
  readonly newestFirst?: boolean;
  readonly type: EventType | undefined;
  readonly limit: number;
}

export interface EventPage {
  readonly events: readonly LoggedEvent[];
  readonly more: boolean;
  /** Before this place everything was visible to this look, and nothing will ever be added there. */
  readonly horizon: EventPosition;
}

/** Events in the order of their commits. */
export interface EventLog {
  find(owner: Owner, id: string): Promise<LoggedEvent | undefined>;
  page(owner: Owner, query: EventQuery): Promise<EventPage>;
  /** The place of everything that commits from now on. */
  horizon(): Promise<EventPosition>;
  /** Which of these owners have events at or behind the places they have read to; by their index. */
  news(
    readers: readonly { readonly owner: Owner; readonly from: EventPosition }[],
  ): Promise<readonly number[]>;
}

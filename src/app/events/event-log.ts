import type { EventType } from '../../contract/events.ts';
import type { Owner } from '../owner.ts';

/**
 * Position of an event in the log. Events are ordered by the transaction that wrote them, then by id. While a
 * transaction is open, readers do not see events of later transactions. So no event ever appears before an event
 * that a reader has already seen.
 */
export interface EventPosition {
  /** Transaction id: PostgreSQL's `xid8` in decimal. */
  readonly xid: string;
  readonly id: string;
}

/** One stored event. */
export interface LoggedEvent extends EventPosition {
  readonly type: EventType;
  /** JSON text, exactly as it is delivered. */
  readonly body: string;
}

export interface EventQuery {
  /** Return only events after this position in the requested order; undefined: from the start. */
  readonly after: EventPosition | undefined;
  /** Default: oldest first. */
  readonly newestFirst?: boolean;
  /** Return only events of this type; undefined: of every type except those in `NAMED_ONLY`. */
  readonly type: EventType | undefined;
  readonly limit: number;
}

export interface EventPage {
  readonly events: readonly LoggedEvent[];
  readonly more: boolean;
  /** All events before this position were visible to this query. No event will be added before this position. */
  readonly horizon: EventPosition;
}

/** Stored events in order of their positions. */
export interface EventLog {
  find(owner: Owner, id: string): Promise<LoggedEvent | undefined>;
  page(owner: Owner, query: EventQuery): Promise<EventPage>;
  /** Returns the position before which no further event will be committed. */
  horizon(): Promise<EventPosition>;
  /** Returns the index of each reader whose owner has an event at or after the `from` of the reader. */
  news(
    readers: readonly { readonly owner: Owner; readonly from: EventPosition }[],
  ): Promise<readonly number[]>;
}

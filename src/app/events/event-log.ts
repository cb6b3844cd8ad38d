import type { EventType } from '../../contract/events.ts';
import type { Owner } from '../owner.ts';

/**
 * Position of an event in the log: ordered by the transaction that wrote it, then by its id. Events after a
 * transaction that is still open are not shown until it ends, so no event is ever inserted before one that was
 * shown.
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
  readonly type: EventType | undefined;
  readonly limit: number;
}

export interface EventPage {
  readonly events: readonly LoggedEvent[];
  readonly more: boolean;
  /** All events before this position were visible to this query, and none will be added before it. */
  readonly horizon: EventPosition;
}

/** Stored events in order of their positions. */
export interface EventLog {
  find(owner: Owner, id: string): Promise<LoggedEvent | undefined>;
  page(owner: Owner, query: EventQuery): Promise<EventPage>;
  /** Position before which no further event will be committed. */
  horizon(): Promise<EventPosition>;
  /** Indices of the readers whose owner has events at or after `from`. */
  news(
    readers: readonly { readonly owner: Owner; readonly from: EventPosition }[],
  ): Promise<readonly number[]>;
}

import type { EventType } from '../../contract/events.ts';
import type { Owner } from '../owner.ts';

/**
 * Position of an event in the log of its owner. Events are numbered after they were committed, so no event ever appears
 * before an event that a reader has already seen.
 */
export interface EventPosition {
  /** Number of the event among those of its owner; 0 for all events of releases before 1.4.0. */
  readonly seq: number;
  /** Transaction id (PostgreSQL's `xid8` in decimal). It orders events with the number 0, then the id does. */
  readonly xid: string;
  readonly id: string;
}

/** One stored event. */
export interface StoredEvent {
  readonly id: string;
  readonly type: EventType;
  /** JSON text, exactly as it is delivered. */
  readonly body: string;
}

/** One stored event that has its number. */
export interface LoggedEvent extends StoredEvent, EventPosition {}

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
  readonly end: EventPosition;
}

/** Stored events in order of their positions. */
export interface EventLog {
  /** Finds an event. Its position is undefined while it has no number, as may be in the first hour after an upgrade. */
  find(
    owner: Owner,
    id: string,
  ): Promise<(StoredEvent & { readonly position: EventPosition | undefined }) | undefined>;
  page(owner: Owner, query: EventQuery): Promise<EventPage>;
  /** Returns the position after all events committed so far. No further event will be added before it. */
  end(owner: Owner): Promise<EventPosition>;
  /** Returns the index of each reader whose owner may have an event after the `from` of the reader. */
  news(
    readers: readonly { readonly owner: Owner; readonly from: EventPosition }[],
  ): Promise<readonly number[]>;
}

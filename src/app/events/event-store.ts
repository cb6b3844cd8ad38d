import type { Owner } from '../owner.ts';
import type { EventType } from '../../contract/events.ts';

export interface EventStore {
  /**
   * Records an event and one delivery for each endpoint that asked for its type, in the transaction of its cause.
   * `onlyTo` delivers to that endpoint alone, whatever it asked for.
   */
  emit(
    owner: Owner,
    type: EventType,
    data: Readonly<Record<string, unknown>>,
    onlyTo?: string,
  ): Promise<string>;
  /** The same for many events together. */
  emitAll(events: readonly NewEvent[]): Promise<void>;
}

/** An event that is to be recorded. */
export interface NewEvent {
  readonly owner: Owner;
  readonly type: EventType;
  readonly data: Readonly<Record<string, unknown>>;
}

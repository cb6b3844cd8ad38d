import type { Owner } from '../owner.ts';
import type { EventType } from '../../contract/events.ts';

export interface EventStore {
  /**
   * Stores an event and one delivery for each endpoint that is registered for its type, in the transaction that
   * caused it.
   * @param onlyTo id of the only endpoint to deliver to, whatever types it is registered for
   */
  emit(
    owner: Owner,
    type: EventType,
    data: Readonly<Record<string, unknown>>,
    onlyTo?: string,
  ): Promise<string>;
  /** Does the same for several events at once. */
  emitAll(events: readonly NewEvent[]): Promise<void>;
}

/** An event to store. */
export interface NewEvent {
  readonly owner: Owner;
  readonly type: EventType;
  readonly data: Readonly<Record<string, unknown>>;
}

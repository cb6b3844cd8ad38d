import type { Owner } from '../owner.ts';
import type { EventType } from '../../contract/events.ts';

export interface EventStore {
  /**
   * Stores an event and one delivery for each endpoint that is registered for its type, in the same transaction as
   * the change that causes the event. `*` registers an endpoint for every type except those in `NAMED_ONLY`.
   * @param onlyTo id of the only endpoint to deliver to, regardless of the types that it is registered for
   */
  emit(
    owner: Owner,
    type: EventType,
    data: Readonly<Record<string, unknown>>,
    onlyTo?: string,
  ): Promise<string>;
  /** Stores several events and their deliveries, each as `emit` does without `onlyTo`. */
  emitAll(events: readonly NewEvent[]): Promise<void>;
}

/** An event to store. */
export interface NewEvent {
  readonly owner: Owner;
  readonly type: EventType;
  readonly data: Readonly<Record<string, unknown>>;
  /** When its deliveries are attempted first; undefined: at once. The list of events shows it at once. */
  readonly notBefore?: Date | undefined;
  /** Whether it is only listed: a digest is delivered in its place, or nobody wants the past. */
  readonly isOnlyListed?: boolean;
}

import type { EventType } from '../../contract/events.ts';
import { InvalidInput, NotFound } from '../../base/errors.ts';
import type { EventLog, EventPage, EventPosition, StoredEvent } from './event-log.ts';
import { isId } from '../../base/ids.ts';
import type { Owner } from '../owner.ts';

const KEPT_DAYS = 30; // number of days for which events are kept; store/upkeep/housekeeping.ts deletes older events

interface Stores {
  readonly eventLog: EventLog;
}

/**
 * Reads a page of events in the order of the log.
 * @param param name of the request parameter that `after` comes from, for the error message
 * @throws InvalidInput when `after` is not the id of a stored event
 */
export async function listEvents(
  stores: Stores,
  owner: Owner,
  query: {
    readonly after: string | undefined;
    readonly newestFirst?: boolean;
    readonly type: EventType | undefined;
    readonly limit: number;
  },
  param = 'after',
): Promise<EventPage> {
  const after =
    query.after === undefined ? undefined : await positionAfter(stores, owner, query.after, param);
  return stores.eventLog.page(owner, { ...query, after });
}

/** @throws NotFound */
export async function getEvent(stores: Stores, owner: Owner, id: string): Promise<StoredEvent> {
  const event = isId('event', id) ? await stores.eventLog.find(owner, id) : undefined;
  if (event === undefined) throw new NotFound(`There is no event ${id}`);
  return event;
}

/**
 * Returns the position from which to continue reading after an event. In the first hour after an upgrade, a webhook may
 * deliver an event before the event list shows it. The position is then the end of the events shown so far.
 * @throws InvalidInput when the event is not stored
 */
export async function positionAfter(
  { eventLog }: Stores,
  owner: Owner,
  id: string,
  param: string,
): Promise<EventPosition> {
  // The end is read first, since this numbers the committed events.
  const end = await eventLog.end(owner);
  const event = isId('event', id) ? await eventLog.find(owner, id) : undefined;
  if (event === undefined)
    throw new InvalidInput(
      `${param}: expected the id of an event of the last ${KEPT_DAYS} days, got ${JSON.stringify(id)}; without it the oldest that is kept comes first`,
      { param },
    );
  return event.position ?? end;
}

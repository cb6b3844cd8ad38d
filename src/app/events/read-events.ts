import type { EventType } from '../../contract/events.ts';
import { InvalidInput, NotFound } from '../../base/errors.ts';
import type { EventLog, EventPage, EventPosition, LoggedEvent } from './event-log.ts';
import { isId } from '../../base/ids.ts';
import type { Owner } from '../owner.ts';

const KEPT_DAYS = 30; // store/upkeep/housekeeping.ts

interface Stores {
  readonly eventLog: EventLog;
}

/** A page of events in the order of their commits. @throws InvalidInput when `after` (or `param`) names no event that is kept */
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
export async function getEvent(stores: Stores, owner: Owner, id: string): Promise<LoggedEvent> {
  const event = isId('event', id) ? await stores.eventLog.find(owner, id) : undefined;
  if (event === undefined) throw new NotFound(`There is no event ${id}`);
  return event;
}

/**
 * From where on a reader that has this event wants the next ones. An event that is not yet shown here, which a webhook
 * may have brought already, stands for all that is shown: something before it may still be open.
 * @throws InvalidInput when the event is not one that is kept
 */
export async function positionAfter(
  { eventLog }: Stores,
  owner: Owner,
  id: string,
  param: string,
): Promise<EventPosition> {
  // The horizon first: an event that is found below it was final before.
  const horizon = await eventLog.horizon();
  const event = isId('event', id) ? await eventLog.find(owner, id) : undefined;
  if (event === undefined)
    throw new InvalidInput(
      `${param}: expected the id of an event of the last ${KEPT_DAYS} days, got ${JSON.stringify(id)}; without it the oldest that is kept comes first`,
      { param },
    );
  return BigInt(event.xid) < BigInt(horizon.xid) ? { xid: event.xid, id: event.id } : horizon;
}

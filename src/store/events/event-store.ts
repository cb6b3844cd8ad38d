import { sql, type Kysely } from 'kysely';
import { newId } from '../../base/ids.ts';
import { currentTrace } from '../../base/trace.ts';
import type { EventStore, NewEvent } from '../../app/events/event-store.ts';
import { type EventBody, NAMED_ONLY } from '../../contract/events.ts';
import type { Database } from '../schema.ts';

/** The outbox: events and their deliveries, inserted in the transaction of the change that causes them. */
export function eventStore(db: Kysely<Database>): EventStore {
  /**
   * Inserts events, finds the endpoints subscribed to them, and inserts one delivery per event and endpoint. Always
   * takes three statements.
   */
  const record = async (events: readonly NewEvent[], onlyTo?: string): Promise<readonly string[]> => {
    const now = new Date();
    const ids = events.map(() => newId('event', now.getTime()));
    const bodies = events.map(({ owner, type, data }, i) => {
      const body: EventBody = {
        id: ids[i]!,
        type,
        created_at: now.toISOString(),
        environment: owner.environment,
        data,
      };
      return JSON.stringify(body);
    });
    const accounts = events.map(({ owner }) => owner.accountId);
    const environments = events.map(({ owner }) => owner.environment);
    const types = events.map(({ type }) => type);
    await sql`
      insert into events (account_id, environment, id, type, body, created_at, traceparent)
      select *, ${now}::timestamptz, ${currentTrace()}::text
      from unnest(${accounts}::text[], ${environments}::environment[], ${ids}::text[], ${types}::text[], ${bodies}::text[])`.execute(
      db,
    );
    const asked =
      onlyTo === undefined
        ? sql`webhooks.status = 'active' and (webhooks.kind <> 'mail' or webhooks.confirmed_at is not null)
            and (given.type = any(webhooks.events)
              or '*' = any(webhooks.events) and given.type <> all(${NAMED_ONLY}::text[]))`
        : sql`webhooks.id = ${onlyTo} and webhooks.status in ('active', 'unconfirmed')`;
    const { rows: asking } = await sql<{ account: string; event: string; webhook: string }>`
      select webhooks.account_id as account, given.id as event, webhooks.id as webhook
      from unnest(${accounts}::text[], ${environments}::environment[], ${ids}::text[], ${types}::text[])
        as given (account_id, environment, id, type)
      join webhooks using (account_id, environment)
      where ${asked}
      for key share of webhooks -- one that is being deleted is waited for: it gets none, and the cause is not lost`.execute(
      db,
    );
    const listed = new Set(ids.filter((_, i) => events[i]!.isOnlyListed === true));
    const wanted = asking.filter(({ event }) => !listed.has(event));
    if (wanted.length === 0) return ids;
    const deliveries = wanted.map(() => newId('delivery', now.getTime()));
    const notBefore = new Map(events.map((event, i) => [ids[i]!, event.notBefore ?? null]));
    await sql`
      insert into deliveries (account_id, id, event_id, webhook_id, next_attempt_at)
      select account_id, id, event_id, webhook_id, coalesce(not_before, now())
      from unnest(${wanted.map(({ account }) => account)}::text[], ${deliveries}::text[],
        ${wanted.map(({ event }) => event)}::text[], ${wanted.map(({ webhook }) => webhook)}::text[],
        ${wanted.map(({ event }) => notBefore.get(event) ?? null)}::timestamptz[])
        as given (account_id, id, event_id, webhook_id, not_before)`.execute(db);
    return ids;
  };
  return {
    async emit(owner, type, data, onlyTo) {
      const [id] = await record([{ owner, type, data }], onlyTo);
      return id!;
    },
    async emitAll(events) {
      if (events.length > 0) await record(events);
    },
  };
}

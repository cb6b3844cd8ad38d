import { sql, type Kysely } from 'kysely';
import { newId } from '../app/ids.ts';
import type { EventStore } from '../app/stores.ts';
import type { EventBody } from '../contract/events.ts';
import type { Database } from './schema.ts';

/** The outbox: events and their deliveries, written in the transaction of their cause. */
export function eventStore(db: Kysely<Database>): EventStore {
  return {
    async emit(owner, type, data, onlyTo) {
      const now = new Date();
      const id = newId('event', now.getTime());
      const body: EventBody = {
        id,
        type,
        created_at: now.toISOString(),
        environment: owner.environment,
        data,
      };
      await db
        .insertInto('events')
        .values({
          account_id: owner.accountId,
          environment: owner.environment,
          id,
          type,
          body: JSON.stringify(body),
          created_at: now,
        })
        .execute();
      let endpoints = db
        .selectFrom('webhooks')
        .select('id')
        .where('account_id', '=', owner.accountId)
        .where('environment', '=', owner.environment)
        .where('status', '=', 'active');
      endpoints =
        onlyTo === undefined
          ? endpoints.where(sql<boolean>`events && array['*', ${type}]::text[]`)
          : endpoints.where('id', '=', onlyTo);
      const webhooks = await endpoints.execute();
      if (webhooks.length > 0) {
        await db
          .insertInto('deliveries')
          .values(
            webhooks.map((webhook) => ({
              account_id: owner.accountId,
              id: newId('delivery', now.getTime()),
              event_id: id,
              webhook_id: webhook.id,
            })),
          )
          .execute();
      }
      return id;
    },
  };
}

import { type RawBuilder, sql } from 'kysely';

/**
 * A recursive part `waiting (webhook_id)` of a query, to follow `with`: endpoints with something still to be delivered, found
 * by hopping from one to the next in the index of what waits, so that those without cost nothing. It ends in a row of null.
 */
export function waitingEndpoints(): RawBuilder<unknown> {
  return sql`recursive waiting (webhook_id) as (
      (select webhook_id from deliveries where status = 'pending' order by webhook_id limit 1)
      union all
      select (
        select next.webhook_id from deliveries next
        where next.status = 'pending' and next.webhook_id > waiting.webhook_id
        order by next.webhook_id limit 1
      ) from waiting where waiting.webhook_id is not null
    )`;
}

import { type RawBuilder, sql } from 'kysely';

/**
 * Makes the recursive query `waiting (webhook_id)` for a `with` clause. Its rows are the ids of the endpoints with
 * pending deliveries, then a null. It skips from one endpoint to the next in the index of pending deliveries, so
 * endpoints without pending deliveries cost nothing.
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

import { type RawBuilder, sql } from 'kysely';

/**
 * The recursive query `waiting (webhook_id)` for a `with` clause. Its rows are the ids of the endpoints with
 * pending deliveries, then a null. It skips from one endpoint to the next in the index of pending deliveries, so
 * endpoints without pending deliveries cost nothing.
 */
const WAITING_ENDPOINTS = `recursive waiting (webhook_id) as (
      (select webhook_id from deliveries where status = 'pending' order by webhook_id limit 1)
      union all
      select (
        select next.webhook_id from deliveries next
        where next.status = 'pending' and next.webhook_id > waiting.webhook_id
        order by next.webhook_id limit 1
      ) from waiting where waiting.webhook_id is not null
    )`;

/** Makes {@link WAITING_ENDPOINTS}. */
export function waitingEndpoints(): RawBuilder<unknown> {
  return sql.raw(WAITING_ENDPOINTS);
}

/**
 * Whether a worker may lease a delivery, for the pulse. Neither retries that are due later, nor deliveries that a worker
 * has leased, nor those of endpoints and accounts that get none now count. Each `limit` makes the planner look up one row
 * for each endpoint that waits: a join would read all endpoints.
 */
export const DELIVERIES_WAIT = `(with ${WAITING_ENDPOINTS}
    select true from waiting
    cross join lateral (
      select account_id from webhooks
      where id = waiting.webhook_id and status in ('active', 'unconfirmed') limit 1
    ) endpoint
    cross join lateral (
      select from accounts where id = endpoint.account_id and disabled_at is null limit 1
    ) account
    cross join lateral (
      select from deliveries
      where webhook_id = waiting.webhook_id and status = 'pending' and next_attempt_at <= now()
        and (leased_until is null or leased_until <= now())
      order by next_attempt_at limit 1
    ) due limit 1)`;

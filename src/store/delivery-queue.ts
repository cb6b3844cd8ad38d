import { randomUUID } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import type { ClaimedDelivery, ClaimRequest, DeliveryQueue, Settlement } from '../app/delivery-queue.ts';
import type { Database } from './schema.ts';
import type { Sealing } from './webhook-store.ts';

interface ClaimedRow {
  readonly id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly attempts: number;
  readonly url: string;
  readonly body: string;
  readonly secrets: readonly { readonly box: string; readonly until: string | null }[];
  readonly failing_since: Date | null;
}

/** The outbox as a queue: due deliveries are leased with SKIP LOCKED, endpoint by endpoint, so none can crowd out another. */
export function deliveryQueue(db: Kysely<Database>, sealing: Sealing): DeliveryQueue {
  return {
    async claim({ limit, leaseMs, perEndpoint, room }: ClaimRequest) {
      const lease = randomUUID();
      const { rows } = await sql<ClaimedRow>`
        with picked as (
          select due.id
          from webhooks
          cross join lateral (
            select id, next_attempt_at
            from deliveries
            where webhook_id = webhooks.id and status = 'pending' and next_attempt_at <= now()
              and (leased_until is null or leased_until <= now())
            order by next_attempt_at
            limit coalesce((${JSON.stringify(Object.fromEntries(room))}::jsonb ->> webhooks.id)::int, ${perEndpoint}::int)
            for update skip locked
          ) due
          where webhooks.status = 'active'
          order by due.next_attempt_at
          limit ${limit}
        ), leased as (
          update deliveries
          set lease = ${lease}, leased_until = now() + ${leaseMs} * interval '1 millisecond'
          from picked
          where deliveries.id = picked.id
          returning deliveries.*
        )
        select leased.id, leased.webhook_id as endpoint_id, leased.event_id, leased.attempts,
               webhooks.url, webhooks.secrets, webhooks.failing_since, events.body
        from leased
        join webhooks on webhooks.id = leased.webhook_id
        join events on events.id = leased.event_id
        order by leased.next_attempt_at, leased.id`.execute(db);
      const now = Date.now();
      return rows.map((row): ClaimedDelivery => ({
        id: row.id,
        lease,
        endpointId: row.endpoint_id,
        eventId: row.event_id,
        url: row.url,
        body: row.body,
        secrets: row.secrets
          .filter(({ until }) => until === null || Date.parse(until) > now)
          .map(({ box }) => sealing.open(Buffer.from(box, 'base64'))),
        attempt: row.attempts + 1,
        failingSinceMs: row.failing_since?.getTime() ?? null,
      }));
    },

    async settle(settlements) {
      if (settlements.length === 0) return;
      await db.transaction().execute(async (transaction) => {
        // All workers lock endpoints first and in one order, so that none waits for another in a circle.
        await transaction
          .selectFrom('webhooks')
          .select('id')
          .where('id', 'in', [...new Set(settlements.map(({ delivery }) => delivery.endpointId))])
          .orderBy('id')
          .forNoKeyUpdate()
          .execute();
        const held = await recordAttempts(transaction, settlements);
        for (const settlement of settlements) {
          if (held.has(settlement.delivery.id)) await settleEndpoint(transaction, settlement);
        }
      });
    },

    async release(deliveries) {
      for (const { id, lease } of deliveries) {
        await db
          .updateTable('deliveries')
          .set({ lease: null, leased_until: null })
          .where('id', '=', id)
          .where('lease', '=', lease)
          .execute();
      }
    },
  };
}

/** Writes what became of each delivery whose lease still holds, and gives the ids of those. */
async function recordAttempts(
  db: Kysely<Database>,
  settlements: readonly Settlement[],
): Promise<ReadonlySet<string>> {
  const facts = settlements.map(({ delivery, attempt, verdict }) => ({
    id: delivery.id,
    lease: delivery.lease,
    status: verdict.kind === 'delivered' ? 'succeeded' : verdict.kind === 'retry' ? 'pending' : 'dead',
    due_at: new Date(verdict.kind === 'retry' ? verdict.dueAtMs : attempt.startedAtMs).toISOString(),
    started_at: new Date(attempt.startedAtMs).toISOString(),
    duration_ms: Math.round(attempt.durationMs),
    http_status: attempt.status,
    answer: attempt.answer,
    error: attempt.error,
    last_attempt: {
      at: new Date(attempt.startedAtMs).toISOString(),
      status: attempt.status,
      duration_ms: Math.round(attempt.durationMs),
      error: attempt.error,
    },
  }));
  const { rows } = await sql<{ delivery_id: string }>`
    with facts as (
      select * from jsonb_to_recordset(${JSON.stringify(facts)}::jsonb) as f(
        id text, lease text, status text, due_at timestamptz, started_at timestamptz, duration_ms int,
        http_status int, answer text, error text, last_attempt jsonb)
    ), held as (
      update deliveries
      set status = facts.status, attempts = deliveries.attempts + 1, next_attempt_at = facts.due_at,
          last_attempt = facts.last_attempt, lease = null, leased_until = null
      from facts
      where deliveries.id = facts.id and deliveries.lease = facts.lease
      returning deliveries.account_id, deliveries.id, deliveries.attempts,
                facts.started_at, facts.duration_ms, facts.http_status, facts.answer, facts.error
    )
    insert into delivery_attempts (account_id, delivery_id, attempt, attempted_at, duration_ms, status, answer, error)
    select account_id, id, attempts, started_at, duration_ms, http_status, answer, error from held
    returning delivery_id`.execute(db);
  return new Set(rows.map((row) => row.delivery_id));
}

async function settleEndpoint(
  db: Kysely<Database>,
  { delivery, attempt, verdict }: Settlement,
): Promise<void> {
  const endpoint = db.updateTable('webhooks').where('id', '=', delivery.endpointId);
  if (verdict.kind === 'delivered') {
    // Whatever the claim saw: a failure that was claimed with this success may have been settled since.
    await endpoint.set({ failing_since: null }).where('failing_since', 'is not', null).execute();
    return;
  }
  if (delivery.failingSinceMs === null)
    await endpoint
      .set({ failing_since: new Date(attempt.startedAtMs) })
      .where('failing_since', 'is', null)
      .execute();
  if (verdict.kind !== 'disable') return;
  const reason =
    verdict.reason === 'gone'
      ? 'the endpoint answered 410 Gone'
      : 'five days of nothing but failed deliveries';
  await endpoint.set({ status: 'disabled', disabled_reason: reason }).execute();
  await db
    .updateTable('deliveries')
    .set({ status: 'dead', lease: null, leased_until: null })
    .where('webhook_id', '=', delivery.endpointId)
    .where('status', '=', 'pending')
    .execute();
}

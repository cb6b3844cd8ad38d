import { randomUUID } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import type {
  ClaimedDelivery,
  ClaimRequest,
  DeliveryQueue,
  EndpointKind,
  Settlement,
} from '../app/webhooks/delivery-queue.ts';
import type { Database } from './schema.ts';
import { eventStore } from './events/event-store.ts';
import { secretOpener } from './sealing/secret-opener.ts';
import type { Sealing } from './sealing/sealing.ts';
import { waitingEndpoints } from './waiting-endpoints.ts';
import { clockShift } from './clock-shift.ts';
import { FAILING_DAYS, inWords } from '../contract/limits.ts';

/** Reasons for disabling an endpoint, shown to its owner. */
const DISABLED_REASONS = {
  gone: 'the endpoint answered 410 Gone',
  failing: `${inWords(FAILING_DAYS)} days of nothing but failed deliveries`,
  refused: 'the mail server says that there is no such address',
} as const;

interface ClaimedRow {
  readonly id: string;
  readonly account_id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly attempt: number;
  readonly url: string;
  readonly body: string;
  readonly secrets: readonly { readonly box: string; readonly until: string | null }[];
  /** By the clock of this node. */
  readonly failing_since: Date | null;
  readonly traceparent: string | null;
}

/**
 * The outbox as a queue. Due deliveries are leased with SKIP LOCKED. Accounts take turns, so that a busy account does
 * not delay the deliveries of other accounts.
 */
export function deliveryQueue(
  db: Kysely<Database>,
  sealing: Sealing,
  kind: EndpointKind = 'webhook',
): DeliveryQueue {
  const open = secretOpener(sealing);
  let foundNone = false;
  return {
    async claim(request) {
      // Workers query four to ten times a second, mostly without a result. This query takes an eighth of the time that
      // planning a claim takes.
      if (foundNone && !(await isAnyPending(db))) return [];
      const lease = randomUUID();
      const rows = await claimRows(db, lease, kind, request);
      foundNone = rows.length === 0;
      const now = Date.now();
      return rows.map((row): ClaimedDelivery => ({
        id: row.id,
        lease,
        accountId: row.account_id,
        endpointId: row.endpoint_id,
        eventId: row.event_id,
        url: row.url,
        body: row.body,
        secrets: row.secrets
          .filter(({ until }) => until === null || Date.parse(until) > now)
          .map(({ box }) => open(box)),
        attempt: row.attempt,
        failingSinceMs: row.failing_since?.getTime() ?? null,
        traceparent: row.traceparent,
      }));
    },

    async settle(settlements) {
      const delivered = settlements.filter(({ verdict }) => verdict.kind === 'delivered');
      const failed = settlements.filter(({ verdict }) => verdict.kind !== 'delivered');
      // Records successes first, in one statement. If the worker is killed before, these deliveries are sent again.
      if (delivered.length > 0) {
        await recordAttempts(db, delivered);
        // A separate statement: while it waits for the lock of an endpoint, it must not keep deliveries locked.
        await clearFailure(db, endpointsOf(delivered));
      }
      if (failed.length === 0) return;
      await db.transaction().execute(async (transaction) => {
        // All workers lock endpoints before deliveries and in the order of their ids, so that no deadlock occurs.
        await transaction
          .selectFrom('webhooks')
          .select('id')
          .where('id', 'in', endpointsOf(failed))
          .orderBy('id')
          .forNoKeyUpdate()
          .execute();
        const held = await recordAttempts(transaction, failed);
        await settleEndpoints(
          transaction,
          settlements.filter(
            ({ delivery, verdict }) => verdict.kind === 'delivered' || held.has(delivery.id),
          ),
        );
      });
    },

    async release(deliveries) {
      await sql`
        update deliveries set lease = null, leased_until = null
        from unnest(${deliveries.map(({ id }) => id)}::text[], ${deliveries.map(({ lease }) => lease)}::text[])
          as held (id, lease)
        where deliveries.id = held.id and deliveries.lease = held.lease`.execute(db);
    },
  };
}

const endpointsOf = (settlements: readonly Settlement[]): readonly string[] => [
  ...new Set(settlements.map(({ delivery }) => delivery.endpointId)),
];

/** Whether any delivery is pending, even if not yet due. `order by` makes the planner use the index. */
async function isAnyPending(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql`
    select from deliveries where status = 'pending' order by webhook_id limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Leases due deliveries. `due` finds the deliveries of each endpoint that have been due for longest. `chosen` selects
 * from these so that accounts take turns. `picked` locks as many deliveries of each endpoint as `chosen` has
 * selected, and skips deliveries that other workers are leasing. `leased` gets the ids as an array, since the planner
 * expects an array to be short, but would expect a join to return the whole queue.
 */
async function claimRows(
  db: Kysely<Database>,
  lease: string,
  kind: EndpointKind,
  { limit, leaseMs, perEndpoint, room, heldAccounts }: ClaimRequest,
): Promise<readonly ClaimedRow[]> {
  const { rows } = await sql<ClaimedRow>`
    with ${waitingEndpoints()}, due as (
      select webhooks.id as webhook_id, found.next_attempt_at, webhooks.account_id,
             row_number() over (partition by webhooks.id order by found.next_attempt_at) as place
      from waiting
      join webhooks on webhooks.id = waiting.webhook_id and webhooks.kind = ${kind}
                   and webhooks.status in ('active', 'unconfirmed')
                   and webhooks.account_id <> all(${heldAccounts}::text[])
      join accounts on accounts.id = webhooks.account_id and accounts.disabled_at is null
      cross join lateral (
        select next_attempt_at
        from deliveries
        where webhook_id = waiting.webhook_id and status = 'pending' and next_attempt_at <= now()
          and (leased_until is null or leased_until <= now())
        order by next_attempt_at
        limit least(${limit}::int,
          coalesce((${JSON.stringify(Object.fromEntries(room))}::jsonb ->> waiting.webhook_id)::int, ${perEndpoint}::int))
      ) found
    ), chosen as (
      select webhook_id from (
        select webhook_id, place, next_attempt_at,
               row_number() over (partition by account_id order by place, next_attempt_at) as turn
        from due
      ) ranked
      order by turn, next_attempt_at
      limit ${limit}
    ), picked as (
      select free.id
      from (select webhook_id, count(*) as count from chosen group by webhook_id) share
      cross join lateral (
        select id
        from deliveries
        where webhook_id = share.webhook_id and status = 'pending' and next_attempt_at <= now()
          and (leased_until is null or leased_until <= now())
        order by next_attempt_at
        limit share.count
        for update skip locked
      ) free
    ), leased as (
      update deliveries
      set lease = ${lease}, leased_until = now() + ${leaseMs} * interval '1 millisecond'
      where id = any (array(select id from picked))
      returning *
    )
    select leased.id, leased.account_id, leased.webhook_id as endpoint_id, leased.event_id,
           leased.attempts - leased.attempts_before + 1 as attempt,
           webhooks.url, webhooks.secrets, webhooks.failing_since - ${clockShift()} as failing_since, events.body,
           events.traceparent
    from leased
    join webhooks on webhooks.id = leased.webhook_id
    join events on events.id = leased.event_id
    order by leased.next_attempt_at, leased.id`.execute(db);
  return rows;
}

/** Records the attempts of all deliveries whose lease is still valid. @returns the ids of these deliveries */
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
      set status = facts.status, attempts = deliveries.attempts + 1,
          next_attempt_at = facts.due_at + ${clockShift()},
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

/** Clears the recorded failure of endpoints after a success, even if recorded after the deliveries were claimed. */
async function clearFailure(db: Kysely<Database>, endpoints: readonly string[]): Promise<void> {
  await sql`
    update webhooks set failing_since = null
    where id in (
      select id from webhooks where id = any(${endpoints}) and failing_since is not null
      order by id for no key update
    )`.execute(db);
}

/**
 * Records the first failure in a batch for each endpoint, in one statement. Disables the endpoints of deliveries with
 * the verdict `disable`.
 */
async function settleEndpoints(db: Kysely<Database>, settlements: readonly Settlement[]): Promise<void> {
  const failedAt = new Map<string, Date>(); // by endpoint: time of the first failure after its last success
  for (const { delivery, attempt, verdict } of settlements) {
    const { endpointId } = delivery;
    if (verdict.kind === 'delivered') failedAt.delete(endpointId);
    else if (!failedAt.has(endpointId)) failedAt.set(endpointId, new Date(attempt.startedAtMs));
  }
  if (failedAt.size > 0)
    await sql`
      update webhooks set failing_since = failed.at + ${clockShift()}
      from unnest(${[...failedAt.keys()]}::text[], ${[...failedAt.values()]}::timestamptz[]) as failed (id, at)
      where webhooks.id = failed.id and failing_since is null`.execute(db);
  for (const settlement of settlements)
    if (settlement.verdict.kind === 'disable')
      await disableEndpoint(db, settlement, settlement.verdict.reason);
}

async function disableEndpoint(
  db: Kysely<Database>,
  { delivery, attempt }: Settlement,
  reason: keyof typeof DISABLED_REASONS,
): Promise<void> {
  const disabled = await db
    .updateTable('webhooks')
    .set({ status: 'disabled', disabled_reason: DISABLED_REASONS[reason] })
    .where('id', '=', delivery.endpointId)
    .where('status', 'in', ['active', 'unconfirmed'])
    .returningAll()
    .executeTakeFirst();
  if (disabled === undefined) return;
  await db
    .updateTable('deliveries')
    .set({ status: 'dead', lease: null, leased_until: null })
    .where('webhook_id', '=', delivery.endpointId)
    .where('status', '=', 'pending')
    .execute();
  const owner = { accountId: disabled.account_id, environment: disabled.environment };
  await eventStore(db).emit(owner, 'webhook.disabled', {
    webhook_id: disabled.id,
    endpoint_url: disabled.url,
    reason: DISABLED_REASONS[reason],
    failing_since: (disabled.failing_since ?? new Date(attempt.startedAtMs)).toISOString(),
    disabled_at: new Date().toISOString(),
    url: `/v1/webhooks/${disabled.id}`,
  });
}

import { sql, type Kysely, type Selectable } from 'kysely';
import type { DeliveryLog, DeliveryRecord } from '../app/webhooks/delivery-log.ts';
import type { Owner } from '../app/owner.ts';
import { newestFirst } from './connection/page.ts';
import type { Database, DeliveriesTable, EventsTable } from './schema.ts';
import { waitingEndpoints } from './waiting-endpoints.ts';

const COLUMNS = [
  'deliveries.id',
  'deliveries.event_id',
  'events.type',
  'deliveries.status',
  'deliveries.attempts',
  'deliveries.created_at',
  'deliveries.next_attempt_at',
  'deliveries.last_attempt',
] as const;

type Row = Pick<
  Selectable<DeliveriesTable>,
  'id' | 'event_id' | 'status' | 'attempts' | 'created_at' | 'next_attempt_at' | 'last_attempt'
> &
  Pick<Selectable<EventsTable>, 'type'>;

function recordOf(row: Row): DeliveryRecord {
  const status = row.status as DeliveryRecord['status'];
  return {
    id: row.id,
    eventId: row.event_id,
    eventType: row.type,
    status,
    attempts: row.attempts,
    createdAt: row.created_at,
    nextAttemptAt: status === 'pending' ? row.next_attempt_at : null,
    lastAttempt: row.last_attempt,
  };
}

/** Reads deliveries and their attempts from the tables of the delivery queue. */
export function deliveryLog(db: Kysely<Database>): DeliveryLog {
  const ofEndpoint = (owner: Owner, webhookId: string) =>
    db
      .selectFrom('deliveries')
      .innerJoin('events', 'events.id', 'deliveries.event_id')
      .where('deliveries.webhook_id', '=', webhookId)
      .where('deliveries.account_id', '=', owner.accountId)
      .where('events.environment', '=', owner.environment);
  const makeDue = (owner: Owner, webhookId: string) =>
    db
      .updateTable('deliveries')
      .set({
        status: 'pending',
        next_attempt_at: sql<Date>`now()`,
        attempts_before: sql<number>`attempts`,
        lease: null,
        leased_until: null,
      })
      .where('webhook_id', '=', webhookId)
      .where('account_id', '=', owner.accountId)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('webhooks')
            .select('id')
            .where('id', '=', webhookId)
            .where('environment', '=', owner.environment),
        ),
      );
  return {
    list(owner, webhookId, page, status) {
      const all = ofEndpoint(owner, webhookId).select(COLUMNS);
      const asked = status === undefined ? all : all.where('deliveries.status', '=', status);
      return newestFirst(asked, 'deliveries.id', page, recordOf);
    },
    async find(owner, webhookId, id) {
      const row = await ofEndpoint(owner, webhookId)
        .select([...COLUMNS, 'events.body'])
        .where('deliveries.id', '=', id)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const attempts = await db
        .selectFrom('delivery_attempts')
        .selectAll()
        .where('delivery_id', '=', id)
        .orderBy('attempt')
        .execute();
      return {
        ...recordOf(row),
        payload: row.body,
        log: attempts.map((attempt) => ({
          at: attempt.attempted_at.toISOString(),
          status: attempt.status,
          duration_ms: attempt.duration_ms,
          error: attempt.error,
          answer: attempt.answer ?? '',
        })),
      };
    },
    async repeat(owner, webhookId, id) {
      await makeDue(owner, webhookId)
        .where('id', '=', id)
        .where((eb) => eb.or([eb('leased_until', 'is', null), eb('leased_until', '<=', sql<Date>`now()`)]))
        .execute();
    },
    async repeatDead(owner, webhookId, since) {
      const { numUpdatedRows } = await makeDue(owner, webhookId)
        .where('status', '=', 'dead')
        .where('created_at', '>=', since)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },
    overdueSeconds: () => overdueSeconds(db),
  };
}

async function overdueSeconds(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`
    with ${waitingEndpoints()}
    select extract(epoch from now() - min(due.next_attempt_at))::float8 as seconds
    from waiting
    join webhooks on webhooks.id = waiting.webhook_id and webhooks.status = 'active'
    join accounts on accounts.id = webhooks.account_id and accounts.disabled_at is null
    cross join lateral (
      select next_attempt_at from deliveries
      where webhook_id = waiting.webhook_id and status = 'pending'
      order by next_attempt_at limit 1
    ) due`.execute(db);
  return Math.max(0, rows[0]?.seconds ?? 0);
}

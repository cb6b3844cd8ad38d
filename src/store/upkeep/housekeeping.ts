import { sql, type Kysely } from 'kysely';
import { newId } from '../../base/ids.ts';
import { IDEMPOTENCY_MS } from '../idempotency-store.ts';
import type { Database } from '../schema.ts';
import { DAY_MS, HOUR_MS } from '../../base/time.ts';
import { eraseEntries } from '../audit/erased-entries.ts';
import { keepAttemptWeeks } from './attempt-weeks.ts';
import { sessionStore } from '../people/session-store.ts';
import { DELETED_AREA_DAYS, EVENT_DAYS, REFUSED_DAYS, SESSION_HOURS } from '../../contract/limits.ts';

const KEEP_EVENTS_MS = EVENT_DAYS * DAY_MS; // time for which events and their deliveries are kept
const ERASED_AT_ONCE = 5_000; // maximum number of events per delete statement, which then locks rows for less than 1 s
const KEEP_USAGE_MS = 400 * DAY_MS; // time for which units spent are kept: a little more than a year
const KEEP_COUNTS_MS = DAY_MS; // time for which mails are counted: bounds hold for a day
const KEEP_FAILED_JOBS_MS = 7 * DAY_MS; // time for which jobs that were given up are kept and counted
const KEEP_DELETED_AOIS_MS = DELETED_AREA_DAYS * DAY_MS; // time for which changes of deleted areas stay readable

/** Deletes expired rows: stored responses, old events with their deliveries, deleted areas, grants, usage. */
export async function housekeep(db: Kysely<Database>, nowMs: number): Promise<void> {
  const before = (ageMs: number): Date => new Date(nowMs - ageMs);
  await db.deleteFrom('idempotency_keys').where('created_at', '<', before(IDEMPOTENCY_MS)).execute();
  await eraseEvents(db, nowMs - KEEP_EVENTS_MS);
  await keepAttemptWeeks(db, nowMs, nowMs - KEEP_EVENTS_MS);
  // Refresh tokens are deleted with their grant. Used tokens are kept until then to detect a stolen token.
  await db.deleteFrom('oauth_grants').where('expires_at', '<', before(0)).execute();
  await db.deleteFrom('spent_proofs').where('expires_at', '<', before(0)).execute();
  await endSessions(db, nowMs);
  await db
    .deleteFrom('usage_days')
    .where('day', '<', before(KEEP_USAGE_MS).toISOString().slice(0, 10))
    .execute();
  await db
    .deleteFrom('mail_counts')
    .where('day', '<', before(KEEP_COUNTS_MS).toISOString().slice(0, 10))
    .execute();
  await db
    .deleteFrom('mail_refusals')
    .where('refused_at', '<', before(REFUSED_DAYS * DAY_MS))
    .execute();
  await db.deleteFrom('jobs').where('failed_at', '<', before(KEEP_FAILED_JOBS_MS)).execute();
  await db.deleteFrom('aois').where('deleted_at', '<', before(KEEP_DELETED_AOIS_MS)).execute();
  // Refused calls of an account that was just erased may have been recorded since.
  await eraseEntries(db, before(DAY_MS));
}

/** Deletes sessions that ended, and those of people who are no member any more. */
async function endSessions(db: Kysely<Database>, nowMs: number): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where((eb) =>
      eb.or([
        eb('created_at', '<=', new Date(nowMs - SESSION_HOURS.most * HOUR_MS)),
        eb('last_used_at', '<=', new Date(nowMs - SESSION_HOURS.idle * HOUR_MS)),
      ]),
    )
    .execute();
  await sessionStore(db).endOrphaned();
}

/** Deletes events before a time and their deliveries. Keeps events with a pending delivery to an active endpoint. */
async function eraseEvents(db: Kysely<Database>, beforeMs: number): Promise<void> {
  // Ids begin with the creation time, so the condition on `id` can use its index. `created_at` is the exact condition.
  const bound = newId('event', beforeMs + DAY_MS);
  for (;;) {
    const { numAffectedRows } = await sql`
      delete from events where id in (
        select id from events
        where id < ${bound} and created_at < ${new Date(beforeMs)} and not exists (
          select from deliveries join webhooks on webhooks.id = deliveries.webhook_id
            join accounts on accounts.id = webhooks.account_id and accounts.disabled_at is null
          where deliveries.event_id = events.id and deliveries.status = 'pending' and webhooks.status = 'active'
        )
        order by id limit ${ERASED_AT_ONCE}
      )`.execute(db);
    if ((numAffectedRows ?? 0n) < ERASED_AT_ONCE) return;
  }
}

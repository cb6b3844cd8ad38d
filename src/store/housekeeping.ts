import type { Kysely } from 'kysely';
import { IDEMPOTENCY_MS } from './idempotency-store.ts';
import type { Database } from './schema.ts';

const DAY_MS = 86_400_000;
const KEEP_EVENTS_MS = 30 * DAY_MS; // events and their deliveries
const KEEP_DELETED_AOIS_MS = 30 * DAY_MS; // while their changes stay readable: contract.md "AOI"

/** Erases what has had its time: kept answers, old events with their deliveries, deleted areas. */
export async function housekeep(db: Kysely<Database>, nowMs: number): Promise<void> {
  const before = (ageMs: number): Date => new Date(nowMs - ageMs);
  await db.deleteFrom('idempotency_keys').where('created_at', '<', before(IDEMPOTENCY_MS)).execute();
  await db
    .deleteFrom('events')
    .where('created_at', '<', before(KEEP_EVENTS_MS))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('deliveries')
            .select('deliveries.id')
            .whereRef('deliveries.event_id', '=', 'events.id')
            .where('deliveries.status', '=', 'pending'),
        ),
      ),
    )
    .execute();
  await db.deleteFrom('aois').where('deleted_at', '<', before(KEEP_DELETED_AOIS_MS)).execute();
}

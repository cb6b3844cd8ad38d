import { sql, type Kysely } from 'kysely';
import type { PublicationStore } from '../app/changes/publication-store.ts';
import { limitWaiting } from './ground-locks.ts';
import type { Database } from './schema.ts';

/** Time without a renewal after which another process may take a collection [s]. */
const HOLD_S = 10;
/** Maximum time that a part of a publication waits for a lock [ms]. Then it gives its connection back, and repeats. */
const LOCK_MS = 400;
/** Maximum time between two statements of a part [ms]. If the process hangs for longer, the part is rolled back. */
const IDLE_MS = 5_000;

/** Publications in the database. Times are those of its clock. */
export function publicationStore(db: Kysely<Database>): PublicationStore {
  return {
    async take(collectionId, holder) {
      const { rows } = await sql`
        insert into publications as kept (collection_id, holder, held_until)
        values (${collectionId}, ${holder}, now() + ${HOLD_S} * interval '1 second')
        on conflict (collection_id) do update set holder = excluded.holder, held_until = excluded.held_until
        where kept.held_until < now() or kept.holder = excluded.holder
        returning 1`.execute(db);
      return rows.length > 0;
    },
    async renew(collectionId, holder, monitoredAs) {
      await limitWaiting(db, { lockMs: LOCK_MS, idleMs: IDLE_MS });
      // The former release locks this row for a whole publication, so neither publishes between the parts of the other
      // unnoticed: the state of the last search tells.
      const { rows } = await sql<{ same: boolean }>`
        select monitored_as is not distinct from ${monitoredAs}::text as same from collections
        where id = ${collectionId} for no key update`.execute(db);
      if (rows[0]?.same !== true) return false;
      const renewed = await sql`
        update publications set held_until = clock_timestamp() + ${HOLD_S} * interval '1 second'
        where collection_id = ${collectionId} and holder = ${holder} returning 1`.execute(db);
      return renewed.rows.length > 0;
    },
    async release(collectionId, holder) {
      await sql`delete from publications where collection_id = ${collectionId} and holder = ${holder}`.execute(
        db,
      );
    },
  };
}

import { sql, type Kysely } from 'kysely';
import type { SandboxStore } from '../app/sandbox/sandbox-store.ts';
import type { Database } from './schema.ts';

/** The state of the simulated region in the database: a single row, which is leased to one process at a time. */
export function sandboxStore(db: Kysely<Database>): SandboxStore {
  const until = (forMs: number) => sql<Date>`now() + ${forMs} * interval '1 millisecond'`;
  const set = async (holder: string, change: { day?: number; progress?: number; ready_at?: Date }) => {
    const done = await db
      .updateTable('sandbox')
      .set(change)
      .where('holder', '=', holder)
      .returning('day')
      .execute();
    if (done.length === 0) throw new Error('the simulated region was taken over by another process');
  };
  return {
    async read() {
      const row = await db.selectFrom('sandbox').selectAll().executeTakeFirst();
      return (
        row && {
          seed: row.seed,
          day: row.day,
          progress: row.progress,
          readyAt: row.ready_at,
          pacedAt: row.paced_at,
        }
      );
    },
    async begin(seed) {
      await db
        .insertInto('sandbox')
        .values({ seed, day: 0, progress: 0, ready_at: null, holder: null, held_until: null })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async renew(holder, forMs) {
      const held = await db
        .updateTable('sandbox')
        .set({ held_until: until(forMs) })
        .where('holder', '=', holder)
        .returning('day')
        .execute();
      return held.length > 0;
    },
    async hold(holder, forMs) {
      const held = await db
        .updateTable('sandbox')
        .set({ holder, held_until: until(forMs) })
        .where((or) =>
          or.or([
            or('holder', 'is', null),
            or('holder', '=', holder),
            or('held_until', '<', sql<Date>`now()`),
          ]),
        )
        .returning('day')
        .execute();
      return held.length > 0;
    },
    async release(holder) {
      await db
        .updateTable('sandbox')
        .set({ holder: null, held_until: null })
        .where('holder', '=', holder)
        .execute();
    },
    note: (holder, progress) => set(holder, { progress }),
    moveTo: (holder, day) => set(holder, { day }),
    finish: (holder, at) => set(holder, { progress: 1, ready_at: at }),
    async setPaced(at) {
      await db.updateTable('sandbox').set({ paced_at: at }).execute();
    },
    lastUsedAt: () => lastUseOfCredentials(db),
  };
}

async function lastUseOfCredentials(db: Kysely<Database>): Promise<Date | null> {
  const { used } = await db
    .selectFrom((from) =>
      from
        .selectFrom('api_keys')
        .select(['environment', 'last_used_at'])
        .unionAll(from.selectFrom('oauth_clients').select(['environment', 'last_used_at']))
        .as('credentials'),
    )
    .select((one) => one.fn.max('last_used_at').as('used'))
    .where('environment', '=', 'sandbox')
    .executeTakeFirstOrThrow();
  return used;
}

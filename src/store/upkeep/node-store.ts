import { sql, type Kysely } from 'kysely';
import type { NodeStore } from '../../app/nodes/node-store.ts';
import type { Database } from '../schema.ts';

/** @see {@link NodeStore} */
export function nodeStore(db: Kysely<Database>): NodeStore {
  return {
    now: async () => {
      const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
      return rows[0]!.now.getTime();
    },
    report: async ({ id, roles, host, version, startedAt, clockOffsetS, load }) => {
      const told = {
        host,
        version,
        clock_offset_s: clockOffsetS,
        load,
        seen_at: sql<Date>`clock_timestamp()`,
      };
      await db
        .with('gone', (gone) =>
          gone
            .deleteFrom('nodes')
            .where('seen_at', '<', sql<Date>`clock_timestamp() - interval '1 hour'`)
            .where('id', '<>', id),
        )
        .insertInto('nodes')
        .values({ id, roles: [...roles], started_at: startedAt, ...told })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(told))
        .execute();
    },
    leave: async (id) => {
      await db.deleteFrom('nodes').where('id', '=', id).execute();
    },
    list: async () => {
      const rows = await db
        .selectFrom('nodes')
        .selectAll()
        .select(sql<number>`extract(epoch from clock_timestamp() - seen_at)::float8`.as('silent_s'))
        .orderBy('started_at')
        .orderBy('id')
        .execute();
      return rows.map((row) => ({
        id: row.id,
        roles: row.roles,
        host: row.host,
        version: row.version,
        startedAt: row.started_at,
        seenAt: row.seen_at,
        silentS: Math.max(0, row.silent_s),
        clockOffsetS: row.clock_offset_s,
        load: row.load,
      }));
    },
  };
}

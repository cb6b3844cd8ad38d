import { sql, type Kysely } from 'kysely';
import type { UsageStore } from '../app/access/usage-meter.ts';
import type { Database } from './schema.ts';

/** Units spent per credential and day, in the database. */
export function usageStore(db: Kysely<Database>): UsageStore {
  return {
    async add(usages) {
      if (usages.length === 0) return;
      // Rows are sorted, so that two nodes lock them in the same order and no deadlock occurs.
      const rows = usages
        .toSorted((a, b) => (a.credentialId < b.credentialId ? -1 : 1))
        .map(({ accountId, environment, credentialId, day, units }) => ({
          account_id: accountId,
          environment,
          credential_id: credentialId,
          day,
          units,
        }));
      await db
        .insertInto('usage_days')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .columns(['account_id', 'environment', 'day', 'credential_id'])
            .doUpdateSet({ units: sql`usage_days.units + excluded.units` }),
        )
        .execute();
    },
    since: (owner, day) =>
      db
        .selectFrom('usage_days')
        .select(['credential_id as credentialId', 'day', 'units'])
        .where('account_id', '=', owner.accountId)
        .where('environment', '=', owner.environment)
        .where('day', '>=', day)
        .orderBy('day', 'desc')
        .orderBy('credential_id')
        .execute(),
  };
}

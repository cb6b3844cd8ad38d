import { sql, type Kysely } from 'kysely';
import type { UsageStore } from '../app/access/usage-meter.ts';
import type { Database } from './schema.ts';

/** Units spent per credential and day, in the database. */
export function usageStore(db: Kysely<Database>): UsageStore {
  return {
    async add(usages) {
      if (usages.length === 0) return;
      // Rows are sorted, so that two nodes lock them in the same order and no deadlock occurs.
      const rows = usages.toSorted((a, b) => (a.credentialId < b.credentialId ? -1 : 1));
      // Units of an account that was erased meanwhile are left out, so that those of others are kept.
      await sql`insert into usage_days (account_id, environment, credential_id, day, units)
        select used.account_id, used.environment, used.credential_id, used.day, used.units
        from unnest(
          ${rows.map(({ accountId }) => accountId)}::text[],
          ${rows.map(({ environment }) => environment)}::environment[],
          ${rows.map(({ credentialId }) => credentialId)}::text[],
          ${rows.map(({ day }) => day)}::date[],
          ${rows.map(({ units }) => units)}::bigint[]
        ) as used (account_id, environment, credential_id, day, units)
        join accounts on accounts.id = used.account_id
        order by used.credential_id
        on conflict (account_id, environment, day, credential_id)
        do update set units = usage_days.units + excluded.units`.execute(db);
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

import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { AccountUseStore, Kept } from '../app/account-use.ts';
import type { Database } from './schema.ts';

/** Counts what an owner has of each kind. */
const COUNTED: Readonly<Record<Kept, (theirs: RawBuilder<unknown>) => RawBuilder<unknown>>> = {
  areas: (theirs) => sql`select count(*) from aois where ${theirs} and deleted_at is null`,
  vertices: (theirs) =>
    sql`select coalesce(sum(positions), 0) from aois where ${theirs} and deleted_at is null`,
  watches: (theirs) => sql`select count(*) from risk_watches where ${theirs}`,
  subscriptions: (theirs) =>
    sql`select count(*) from subscriptions where ${theirs} and status <> 'cancelled'`,
  webhooks: (theirs) => sql`select count(*) from webhooks where ${theirs}`,
  keys: (theirs) => sql`
    select count(*) from api_keys where ${theirs} and coalesce(least(expires_at, revoked_at), 'infinity') > now()`,
  clients: (theirs) => sql`select count(*) from oauth_clients where ${theirs} and revoked_at is null`,
};

/** Counts again what an account keeps. Nobody may create anything of it meanwhile. */
export async function recountUse(db: Kysely<Database>, accountId: string): Promise<void> {
  const rows = await db
    .selectFrom('account_use')
    .select(['environment', 'kind'])
    .where('account_id', '=', accountId)
    .execute();
  for (const { environment, kind } of rows) {
    const theirs = sql`account_id = ${accountId} and environment = ${environment}`;
    const counted = COUNTED[kind as Kept];
    await sql`update account_use set used = (${counted(theirs)})::bigint where ${theirs} and kind = ${kind}`.execute(
      db,
    );
  }
}

/**
 * Counts of what accounts keep. A count only rises, with each creation. When it reaches the limit, the rows of the
 * environment are counted exactly, and the count falls by what was deleted or has expired. So a creation costs the same
 * however much there is, except near the limit.
 */
export function accountUse(db: Kysely<Database>): AccountUseStore {
  return {
    async claim(owner, kind, amount, most) {
      const { accountId, environment } = owner;
      const theirs = sql`account_id = ${accountId} and environment = ${environment}`;
      // Rows of all environments: a row that another transaction is just making would not be seen and locked below.
      await sql`
        insert into account_use (account_id, environment, kind, used)
        select ${accountId}, one, ${kind}, 0 from unnest(enum_range(null::environment)) one order by one
        on conflict do nothing`.execute(db);
      // The rows of all environments are locked, always in the same order, so that the sum stays what it is.
      const { rows } = await sql<{ used: number; own: boolean }>`
        select used, environment = ${environment}::environment as own from account_use
        where account_id = ${accountId} and kind = ${kind} order by environment for update`.execute(db);
      const sum = rows.reduce((total, { used }) => total + used, 0);
      const add = (used: RawBuilder<unknown>) =>
        sql`update account_use set used = ${used} where ${theirs} and kind = ${kind}`.execute(db);
      if (most === 0 || sum + amount <= most) {
        await add(sql`used + ${amount}::bigint`);
        return undefined;
      }
      const others = sum - rows.find(({ own }) => own)!.used;
      const counted = await sql<{ count: number }>`
        select (${COUNTED[kind](theirs)})::bigint as count`.execute(db);
      const own = counted.rows[0]!.count;
      const fits = others + own + amount <= most;
      await add(sql`${own + (fits ? amount : 0)}::bigint`);
      return fits ? undefined : others + own;
    },
  };
}

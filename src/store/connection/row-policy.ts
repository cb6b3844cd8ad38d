import { sql, type Kysely, type RawBuilder } from 'kysely';

/**
 * Account to which a connection is bound, see `bound-connections.ts`. It is a subquery, so that it is evaluated only
 * once per statement.
 */
export const ACCOUNT = sql`(select current_setting('groundwatch.account', true))`;
/** Environment to which a connection is bound. */
export const ENVIRONMENT = sql`(select nullif(current_setting('groundwatch.environment', true), '')::environment)`;

/** Allows bound connections to run a command on those rows of a table that meet a condition, and on no other rows. */
export async function policy(
  db: Kysely<unknown>,
  table: string,
  command: 'all' | 'select' | 'insert' | 'update',
  condition: RawBuilder<unknown>,
): Promise<void> {
  await secure(db, table);
  const kept = command === 'insert' ? sql`with check (${condition})` : sql`using (${condition})`;
  await sql`create policy ${sql.id(`bound_${command}`)} on ${sql.id(table)} for ${sql.raw(command)} ${kept}`.execute(
    db,
  );
}

/** Enables row-level security for a table, so that bound connections reach only rows that a policy allows. */
export async function secure(db: Kysely<unknown>, table: string): Promise<void> {
  await sql`alter table ${sql.id(table)} enable row level security`.execute(db);
}

import { sql, type Kysely, type RawBuilder } from 'kysely';

/** Whom a connection is bound to: see `bound-connections.ts`. A subquery is asked once for a statement, not for each row. */
export const ACCOUNT = sql`(select current_setting('groundwatch.account', true))`;
/** Likewise. */
export const ENVIRONMENT = sql`(select nullif(current_setting('groundwatch.environment', true), '')::environment)`;

/** Lets bound connections do to a table what meets a condition, and nothing else. */
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

/** Closes a table to bound connections, but for what its policies let through. */
export async function secure(db: Kysely<unknown>, table: string): Promise<void> {
  await sql`alter table ${sql.id(table)} enable row level security`.execute(db);
}

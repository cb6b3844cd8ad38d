import { sql, type Kysely } from 'kysely';
import { ACCOUNT, ENVIRONMENT } from '../connection/row-policy.ts';

/** Lets accounts record in the audit log what is about all their environments, such as a change of a member. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const own = sql`account_id = ${ACCOUNT} and (environment = ${ENVIRONMENT}::text or environment is null)`;
  await sql`alter policy bound_insert on audit_log with check (${own})`.execute(db);
  await sql`alter policy bound_all on audit_pending using (${own})`.execute(db);
}

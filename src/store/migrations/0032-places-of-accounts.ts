import { sql, type Kysely } from 'kysely';
import { ACCOUNT, ENVIRONMENT } from '../connection/row-policy.ts';

/**
 * What the lists by place need. The index gives the changes of an account in order, without those of other accounts:
 * its operators are those of no other index. The view lets a search by box use the index `aois_bounds`, which a policy
 * prevents (see migration 0008), and contains the condition of the policy.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index aoi_changes_owner on aoi_changes (account_id, environment, change_id text_pattern_ops)`.execute(
    db,
  );
  await sql`create view readable_aois as
    select account_id, environment, id, name, geometry, bounds, area_m2, created_at, deleted_at from aois where pg_has_role(current_user, (
        select relowner from pg_class where oid = 'aois'::regclass), 'member')
      or (account_id = ${ACCOUNT} and environment = ${ENVIRONMENT})`.execute(db);
}

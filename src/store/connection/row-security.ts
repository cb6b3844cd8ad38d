import { sql, type Kysely } from 'kysely';
import { errorCode } from './error-code.ts';
import type { Database } from '../schema.ts';

/** Role of connections that are bound to one owner. It owns no table, so row-level security applies to it. */
export const RUNTIME_ROLE = 'groundwatch_runtime';

/** Key of the advisory lock that lets only one process at a time grant rights: "gw-grant" in ASCII. */
const GRANT_LOCK = sql.raw(`x'67772d6772616e74'::bigint`);
/**
 * Codes of errors of `create role` and `grant` that are ignored: the role exists or another process was faster
 * (duplicate_object, unique_violation), or the login lacks the right (insufficient_privilege). In the last case
 * {@link rowSecurityProblem} describes the problem.
 */
const HARMLESS = new Set(['42710', '23505', '42501']);

/**
 * Creates the role of bound connections, allows the login to use the role, and grants the role access to every table
 * with row-level security. The policies in the migrations decide which rows the role may use. Does nothing when all
 * this is already set up.
 */
export async function setUpRowSecurity(
  db: Kysely<Database>,
  schemas: { readonly tables: string; readonly jobs: string },
): Promise<void> {
  if ((await rowSecurityProblem(db, schemas.tables)) === undefined) return;
  const role = sql.id(RUNTIME_ROLE);
  if ((await unusableRole(db)) !== undefined) {
    for (const statement of [sql`create role ${role} nologin noinherit`, sql`grant ${role} to current_user`])
      await statement.execute(db).catch((error: unknown) => {
        if (!HARMLESS.has(errorCode(error) ?? '')) throw error;
      });
    if ((await unusableRole(db)) !== undefined) return;
  }
  const [tables, jobs] = [sql.id(schemas.tables), sql.id(schemas.jobs)];
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${GRANT_LOCK})`.execute(transaction);
    for (const { name, isView } of await unreachable(transaction, schemas.tables)) {
      // Views are read-only: they run with the rights of their owner, and no policy applies to the owner.
      const rights = isView ? sql`select` : sql`select, insert, update, delete`;
      await sql`grant ${rights} on ${sql.id(schemas.tables, name)} to ${role}`.execute(transaction);
    }
    for (const statement of [
      sql`grant usage on schema ${tables}, ${jobs} to ${role}`,
      // This role inserts jobs, since a job is inserted in the same transaction as the change that causes it. The
      // queue creates its tables later, when it starts, so default privileges are set too.
      sql`grant select, insert on all tables in schema ${jobs} to ${role}`,
      sql`alter default privileges in schema ${jobs} grant select, insert on tables to ${role}`,
    ])
      await statement.execute(transaction);
  });
}

/** Explains to the database administrator why connections cannot be bound to an owner; undefined if they can. */
export async function rowSecurityProblem(db: Kysely<Database>, schema: string): Promise<string | undefined> {
  const role = await unusableRole(db);
  if (role !== undefined) return role;
  const names = (await unreachable(db, schema)).map(({ name }) => name);
  return names.length === 0 ? undefined : `the role ${RUNTIME_ROLE} may not use ${names.join(', ')}`;
}

/** Explains why the login cannot or should not use the role; undefined if it can. */
async function unusableRole(db: Kysely<Database>): Promise<string | undefined> {
  const { rows } = await sql<{ login: string; made: boolean; passes: boolean; ours: boolean }>`
    select current_user as login, role.oid is not null as made, role.rolsuper or role.rolbypassrls as passes,
      pg_has_role(current_user, role.oid,
        case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end) as ours
    from (values (1)) as one left join pg_roles role on role.rolname = ${RUNTIME_ROLE}`.execute(db);
  const { login, made, passes, ours } = rows[0]!;
  if (!made) return `there is no role ${RUNTIME_ROLE}`;
  if (passes) return `row-level security does not hold for the role ${RUNTIME_ROLE}`;
  return ours ? undefined : `${login} may not act as ${RUNTIME_ROLE}`;
}

/**
 * Finds the tables with row-level security, and the views, to which the role has no access yet. Partitions are reached by
 * their table only, whose policy counts.
 */
async function unreachable(
  db: Kysely<Database>,
  schema: string,
): Promise<readonly { readonly name: string; readonly isView: boolean }[]> {
  const { rows } = await sql<{ name: string; isView: boolean }>`
    select relname as name, relkind = 'v' as "isView" from pg_class
    where relnamespace = to_regnamespace(${schema}) and (relrowsecurity or relkind = 'v')
      and not relispartition and not has_table_privilege(${RUNTIME_ROLE}, oid, 'select') order by 1`.execute(
    db,
  );
  return rows;
}

import type { Kysely, Selectable } from 'kysely';
import type { Identity, MemberRecord, Membership, MemberStore } from '../../app/access/member-store.ts';
import { newestFirst } from '../connection/page.ts';
import type { Database } from '../schema.ts';
import type { MembersTable } from '../tables/people-tables.ts';

/** Members of accounts in the database. */
export function memberStore(db: Kysely<Database>): MemberStore {
  return {
    ...identities(db),
    async create({ accountId, id, email, role }) {
      const row = await db
        .insertInto('members')
        .values({ account_id: accountId, id, email, role })
        .onConflict((conflict) => conflict.columns(['account_id', 'email']).doNothing())
        .returningAll()
        .executeTakeFirst();
      return row && recordOf(row);
    },
    async find(accountId, id) {
      const row = await db
        .selectFrom('members')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row && recordOf(row);
    },
    async locate(id) {
      const row = await db.selectFrom('members').selectAll().where('id', '=', id).executeTakeFirst();
      return row && recordOf(row);
    },
    ofAccount: (accountId, page) =>
      newestFirst(
        db.selectFrom('members').selectAll().where('account_id', '=', accountId),
        'members.id',
        page,
        recordOf,
      ),
    async lockAdmins(accountId) {
      const rows = await db
        .selectFrom('members')
        .select('id')
        .where('account_id', '=', accountId)
        .where('role', '=', 'admin')
        .orderBy('id')
        .forUpdate()
        .execute();
      return rows.map(({ id }) => id);
    },
    async setRole(accountId, id, role) {
      const row = await db
        .updateTable('members')
        .set({ role })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      return row && recordOf(row);
    },
    async remove(accountId, id) {
      const { numDeletedRows } = await db
        .deleteFrom('members')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

/** Queries for the memberships of a person. */
function identities(db: Kysely<Database>): Pick<MemberStore, 'ofIdentity' | 'inAccount' | 'bind' | 'touch'> {
  const memberships = ({ issuer, subject }: Identity) =>
    db
      .selectFrom('members')
      .innerJoin('accounts', 'accounts.id', 'members.account_id')
      .selectAll('members')
      .select('accounts.name as account_name')
      .where('members.issuer', '=', issuer)
      .where('members.subject', '=', subject)
      .where('accounts.disabled_at', 'is', null);
  return {
    async ofIdentity(identity) {
      return (await memberships(identity).orderBy('accounts.name').execute()).map(membershipOf);
    },
    async inAccount(identity, accountId) {
      const row = await memberships(identity).where('members.account_id', '=', accountId).executeTakeFirst();
      return row && membershipOf(row);
    },
    async bind(email, { issuer, subject }) {
      await db
        .updateTable('members')
        .set({ issuer, subject })
        .where('email', '=', email)
        .where('issuer', 'is', null)
        // A person is one member of an account, whatever addresses were invited.
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom('members as own')
                .whereRef('own.account_id', '=', 'members.account_id')
                .where('own.issuer', '=', issuer)
                .where('own.subject', '=', subject),
            ),
          ),
        )
        .execute();
    },
    async touch({ issuer, subject }, at) {
      await db
        .updateTable('members')
        .set({ last_sign_in_at: at })
        .where('issuer', '=', issuer)
        .where('subject', '=', subject)
        .execute();
    },
  };
}

function recordOf(row: Selectable<MembersTable>): MemberRecord {
  const { issuer, subject } = row;
  return {
    accountId: row.account_id,
    id: row.id,
    email: row.email,
    role: row.role,
    identity: issuer === null || subject === null ? null : { issuer, subject },
    createdAt: row.created_at,
    lastSignInAt: row.last_sign_in_at,
  };
}

function membershipOf(row: Selectable<MembersTable> & { readonly account_name: string }): Membership {
  return { ...recordOf(row), accountName: row.account_name };
}

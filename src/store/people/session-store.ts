import { sql, type Kysely } from 'kysely';
import type { SessionStore } from '../../app/access/session-store.ts';
import type { Database } from '../schema.ts';

/** Sessions of people in the database. Only hashes of their secrets are stored. */
export function sessionStore(db: Kysely<Database>): SessionStore {
  return {
    async create(tokenHash, { issuer, subject, createdAt, lastUsedAt }) {
      await db
        .insertInto('sessions')
        .values({
          token_hash: tokenHash,
          issuer,
          subject,
          created_at: createdAt,
          last_used_at: lastUsedAt,
        })
        .execute();
    },
    find: (tokenHash) =>
      db
        .selectFrom('sessions')
        .select(['issuer', 'subject', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst(),
    async touch(tokenHash, at) {
      await db
        .updateTable('sessions')
        .set({ last_used_at: at })
        .where('token_hash', '=', tokenHash)
        .execute();
    },
    async end(tokenHash) {
      await db.deleteFrom('sessions').where('token_hash', '=', tokenHash).execute();
    },
    async endOrphaned() {
      await sql`
        delete from sessions where not exists (
          select from members where members.issuer = sessions.issuer and members.subject = sessions.subject
        )`.execute(db);
    },
  };
}

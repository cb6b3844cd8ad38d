import { sql, type Kysely } from 'kysely';

/** Adds the public keys that an OAuth client had before, and until when they still prove it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table oauth_clients
    add column former_jwks jsonb,
    add column former_until timestamptz`.execute(db);
}

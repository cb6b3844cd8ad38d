import { PostgresAdapter, PostgresDialect, type DialectAdapter } from 'kysely';

/**
 * Dialect of all our handles. Kysely's own locks migrations for the session of a connection, and behind a pooler such a
 * lock would stay on a connection of others. `migrate` locks for its transaction instead.
 */
export class ServerDialect extends PostgresDialect {
  override createAdapter(): DialectAdapter {
    return new LocklessAdapter();
  }
}

class LocklessAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

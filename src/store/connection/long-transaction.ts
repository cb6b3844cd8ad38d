import { sql, type RawBuilder } from 'kysely';

/** Idle timeout of long transactions [ms]: on a busy machine, threads may compute for minutes between queries. */
const LONG_MS = 15 * 60_000;

/** Returns an SQL expression for a `select`. Its evaluation raises the idle timeout of the current transaction. */
export function longTransaction(): RawBuilder<string> {
  return sql<string>`set_config('idle_in_transaction_session_timeout', ${String(LONG_MS)}, true)`;
}

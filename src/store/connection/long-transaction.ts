import { sql, type RawBuilder } from 'kysely';

/** For work that goes on in threads for minutes without a word to the database, on a busy machine [ms]. */
const LONG_MS = 15 * 60_000;

/** Lets the transaction that selects it be idle for longer than others may, who would be ended. */
export function longTransaction(): RawBuilder<string> {
  return sql<string>`set_config('idle_in_transaction_session_timeout', ${String(LONG_MS)}, true)`;
}

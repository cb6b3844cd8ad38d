import { sql, type RawBuilder } from 'kysely';

/** Idle limit of long transactions [ms]: on a busy machine, threads may compute for minutes without a query. */
const LONG_MS = 15 * 60_000;

/** Expression that raises the idle limit of the transaction that selects it. */
export function longTransaction(): RawBuilder<string> {
  return sql<string>`set_config('idle_in_transaction_session_timeout', ${String(LONG_MS)}, true)`;
}

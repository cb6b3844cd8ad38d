import { type RawBuilder, sql } from 'kysely';

/** Differences between two clocks that are not corrected [s]: a statement takes time to arrive, and may wait. */
const NEGLIGIBLE_S = 5;

/**
 * What to add to a time by the clock of this node to get the time by the clock of the database, as an SQL interval: 0
 * unless they differ by more than five seconds. Several nodes read such times, so a node whose clock is wrong must not
 * write its own: a retry would wait for days, or an endpoint would seem to have failed for as long.
 */
export function clockShift(): RawBuilder<unknown> {
  const here = sql`${new Date().toISOString()}::timestamptz`;
  const most = sql`interval '${sql.raw(String(NEGLIGIBLE_S))} seconds'`;
  const shift = sql`(statement_timestamp() - ${here})`;
  return sql`(case when ${shift} between -${most} and ${most} then interval '0' else ${shift} end)`;
}

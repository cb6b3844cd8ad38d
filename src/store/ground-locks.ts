import { sql, type Kysely } from 'kysely';
import type { Environment } from '../app/owner.ts';
import type { Bbox } from '../geo/bbox.ts';
import { groundBlocks } from '../geo/ground-block.ts';
import type { Database } from './schema.ts';

/**
 * Locks the blocks of ground under some boxes until the transaction ends. Changes that are published and areas that are
 * created on the same ground so follow each other: the later of two transactions sees the rows of the earlier one. The
 * blocks are locked in the order of their numbers, so that no two transactions wait for each other.
 *
 * The former release locks the row of the environment instead: for share while it publishes, for update while it
 * creates an area. Until its time is over, the modes used here conflict with those, but not with each other across
 * ground: publishing with its creation of areas, and creation with its publishing.
 */
export async function lockGround(
  db: Kysely<Database>,
  environment: Environment,
  boxes: readonly Bbox[],
  act: 'publish' | 'create area',
): Promise<void> {
  const { rows } = await sql<{ beside: boolean }>`
    select former_until > now() as beside from former_locks`.execute(db);
  if (rows[0]?.beside === true) {
    const row = db.selectFrom('environments').select('name').where('name', '=', environment);
    await (act === 'publish' ? row.forKeyShare() : row.forNoKeyUpdate()).execute();
  }
  await db
    .selectFrom('ground_blocks')
    .select('block')
    .where('environment', '=', environment)
    .where('block', '=', sql<number>`any(${groundBlocks(boxes)}::smallint[])`)
    .orderBy('block')
    .forUpdate()
    .execute();
}

/** Limits how long the statements of a transaction wait for locks, and how long it may stay idle [ms]. */
export async function limitWaiting(
  db: Kysely<Database>,
  { lockMs, idleMs }: { readonly lockMs: number; readonly idleMs?: number },
): Promise<void> {
  const idle =
    idleMs === undefined
      ? sql``
      : sql`, set_config('idle_in_transaction_session_timeout', ${String(idleMs)}, true)`;
  await sql`select set_config('lock_timeout', ${String(lockMs)}, true)${idle}`.execute(db);
}

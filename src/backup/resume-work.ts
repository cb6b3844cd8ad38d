import { sql, type Kysely } from 'kysely';
import { isDerivationSource } from '../app/series/derived/derived-series.ts';
import { SANDBOX_MOISTURE } from '../app/sandbox/collection-names.ts';
import type { Storage } from '../app/storage.ts';
import type { Database } from '../store/schema.ts';

/**
 * Queues all jobs after a restore, since jobs of the backup may have been about files that it has in another state. A job has no effect if its work is done already. Ends
 * the hour after an upgrade, in which the order of events follows the transaction ids of the former server.
 */
export async function resumeWork(storage: Storage, db: Kysely<Database>): Promise<void> {
  await db.updateTable('event_heads').set({ by_xid_until: new Date() }).execute();
  // Messages are not in backups, and the former installation may still use its stream.
  await db
    .updateTable('jobs')
    .set({ state: 'waiting', started_at: null })
    .where('state', '=', 'sent')
    .execute();
  await sql`update job_stream set name = 'groundwatch_' || substr(md5(gen_random_uuid()::text), 1, 12)`.execute(
    db,
  );
  await queueWork(storage, db);
}

/** Queues the jobs of all accounts, or of one, after a restore. A job has no effect if its work is done already. */
export async function queueWork(storage: Storage, db: Kysely<Database>, only?: string): Promise<void> {
  const isMeant = (account: string | null): boolean => only === undefined || account === only;
  for (const { id, name, simulated, accountId } of await storage.collections.list())
    if (isMeant(accountId) && !(simulated && name === SANDBOX_MOISTURE))
      await storage.jobs.monitorCollection({ collectionId: id, priority: 'backfill' });
  for (const { id, metric, accountId } of await storage.stations.list())
    if (isMeant(accountId) && isDerivationSource(metric))
      await storage.jobs.deriveSeries({ collectionId: id, priority: 'backfill' });
  const areas = await db
    .selectFrom('subscriptions')
    .select(['account_id as accountId', 'environment', 'aoi_id as aoiId'])
    .where('status', '=', 'active')
    .distinct()
    .execute();
  for (const area of areas.filter(({ accountId }) => isMeant(accountId)))
    await storage.jobs.refreshAnomalies(area);
}

import type { Kysely } from 'kysely';
import type { Storage } from '../app/stores.ts';
import type { Database } from '../store/schema.ts';

/** Queues what a backup does not keep: the jobs that were waiting. Those that were done already find nothing to do. */
export async function resumeWork(storage: Storage, db: Kysely<Database>): Promise<void> {
  for (const { id } of await storage.collections.list())
    await storage.jobs.monitorCollection({ collectionId: id });
  const areas = await db
    .selectFrom('subscriptions')
    .select(['account_id as accountId', 'environment', 'aoi_id as aoiId'])
    .where('status', '=', 'active')
    .distinct()
    .execute();
  for (const area of areas) await storage.jobs.refreshAnomalies(area);
}

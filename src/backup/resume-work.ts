import type { Kysely } from 'kysely';
import { isDerivationSource } from '../app/series/derived/derived-series.ts';
import { SANDBOX_MOISTURE } from '../app/sandbox/collection-names.ts';
import type { Storage } from '../app/storage.ts';
import type { Database } from '../store/schema.ts';

/**
 * Queues all jobs after a restore, since backups contain no jobs. A job has no effect if its work is done already. Ends
 * the hour after an upgrade, in which the order of events follows the transaction ids of the former server.
 */
export async function resumeWork(storage: Storage, db: Kysely<Database>): Promise<void> {
  await db.updateTable('event_heads').set({ by_xid_until: new Date() }).execute();
  for (const { id, name, simulated } of await storage.collections.list())
    if (!(simulated && name === SANDBOX_MOISTURE)) await storage.jobs.monitorCollection({ collectionId: id });
  for (const { id, metric } of await storage.stations.list())
    if (isDerivationSource(metric)) await storage.jobs.deriveSeries({ collectionId: id });
  const areas = await db
    .selectFrom('subscriptions')
    .select(['account_id as accountId', 'environment', 'aoi_id as aoiId'])
    .where('status', '=', 'active')
    .distinct()
    .execute();
  for (const area of areas) await storage.jobs.refreshAnomalies(area);
}

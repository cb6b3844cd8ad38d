import { DIGEST_INCIDENTS } from '../../contract/limits.ts';
import { formatTimestamp } from '../../base/time.ts';
import { quietUntil } from '../events/quiet-hours.ts';
import type { Storage, Stores } from '../storage.ts';
import { presentIncident } from './present-incident.ts';

/** Number of subscriptions that are looked at in one round. */
const AT_ONCE = 10_000;

type Due = Awaited<ReturnType<Stores['subscriptions']['withDueDigest']>>[number];

/**
 * Sends the due digests of all accounts: an event with the incidents that began or changed since the one before. One
 * without incidents is not sent. During quiet hours a digest waits for their end. Each is noted in the transaction of
 * its event, so that none is sent twice.
 * @returns the number of digests sent
 */
export async function sendDigests(storage: Storage, nowMs: number, signal?: AbortSignal): Promise<number> {
  let sent = 0;
  for (const due of await storage.subscriptions.withDueDigest(AT_ONCE)) {
    if (signal?.aborted === true) break;
    if (due.quietHours !== null && quietUntil(due.quietHours, nowMs) !== undefined) continue;
    const owner = { accountId: due.accountId, environment: due.environment };
    if (await storage.boundTo(owner).transaction((stores) => sendDigest(stores, due))) sent++;
  }
  return sent;
}

async function sendDigest(stores: Stores, due: Due): Promise<boolean> {
  const { id, accountId, environment, aoiId, perils, digest, past } = due;
  const owner = { accountId, environment };
  // No incident is being changed while this is held, so each change is in one digest.
  await stores.incidents.hold(owner);
  const now = new Date();
  const after = await stores.subscriptions.noteDigest(owner, id, now);
  if (after === undefined) return false;
  const news = await stores.incidents.news(owner, {
    aoiId,
    perils,
    after,
    withPast: past,
    most: DIGEST_INCIDENTS,
  });
  if (news.count === 0) return false;
  const from = formatTimestamp(after.getTime());
  await stores.events.emit(owner, 'incident.digest', {
    subscription_id: id,
    aoi_id: aoiId,
    digest,
    from,
    to: formatTimestamp(now.getTime()),
    incident_count: news.count,
    incidents: news.incidents.map(presentIncident),
    url: `/v1/incidents?aoi_id=${aoiId}&updated_since=${from}`,
  });
  return true;
}

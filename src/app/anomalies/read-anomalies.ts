import { parseMoment } from '../../base/time.ts';
import { NotFound } from '../../base/errors.ts';
import { isId } from '../../base/ids.ts';
import type { AnomalyListItem, AnomalyRecord } from './anomaly-store.ts';
import type { Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Stores } from '../storage.ts';

/** Lists the anomalies of the caller's subscriptions, newest first. */
export function listAnomalies(
  stores: Stores,
  owner: Owner,
  query: { readonly since: string | undefined; readonly publishedSince: string | undefined },
  page: PageRequest,
): Promise<Page<AnomalyListItem>> {
  const dateOf = (text: string | undefined) =>
    text === undefined ? undefined : new Date(parseMoment(text)!.ms);
  return stores.anomalies.list(
    owner,
    { since: dateOf(query.since), publishedSince: dateOf(query.publishedSince) },
    page,
  );
}

/** @throws NotFound */
export async function getAnomaly(stores: Stores, owner: Owner, id: string): Promise<AnomalyRecord> {
  const anomaly = isId('anomaly', id) ? await stores.anomalies.find(owner, id) : undefined;
  if (anomaly === undefined) throw new NotFound(`There is no anomaly ${id}`);
  return anomaly;
}

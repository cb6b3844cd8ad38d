import { parseMoment } from '../../base/time.ts';
import { NotFound } from '../../base/errors.ts';
import { PAGE_BYTES } from '../../contract/limits.ts';
import { isId } from '../../base/ids.ts';
import type { AnomalyListItem, AnomalyRecord } from './anomaly-store.ts';
import type { Owner } from '../owner.ts';
import { meetingBox } from '../meeting-box.ts';
import type { Page, PageRequest } from '../page.ts';
import type { PlaceAndTime } from '../place-and-time.ts';
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

/** An anomaly with the geometry of its area, as JSON text. */
export type DrawnAnomaly = AnomalyListItem & { readonly geometryText: string };

/** Lists the same anomalies with the geometries of their areas, those that meet a box. */
export async function listPlacedAnomalies(
  stores: Pick<Stores, 'anomalies' | 'aois'>,
  owner: Owner,
  { bounds, fromMs, toMs }: PlaceAndTime,
  page: PageRequest,
): Promise<Page<DrawnAnomaly>> {
  const [since, until] = [fromMs, toMs].map((ms) => (ms === undefined ? undefined : new Date(ms)));
  const found = await stores.anomalies.list(owner, { since, until, bounds, publishedSince: undefined }, page);
  return meetingBox(await drawAnomalies(stores, owner, found), bounds);
}

/**
 * Adds to each anomaly of a page the geometry of its area. The page ends early when they are large: see `PAGE_BYTES`.
 * Each area is read once.
 */
export async function drawAnomalies(
  { aois }: Pick<Stores, 'aois'>,
  owner: Owner,
  page: Page<AnomalyListItem>,
): Promise<Page<DrawnAnomaly>> {
  const geometries = new Map<string, string>();
  const items: DrawnAnomaly[] = [];
  let bytes = 0;
  let last: AnomalyListItem | undefined;
  for (const anomaly of page.items) {
    const { aoiId } = anomaly;
    const geometryText = geometries.get(aoiId) ?? (await aois.geometryTexts(owner, [aoiId])).get(aoiId);
    if (geometryText === undefined) continue; // the area was deleted meanwhile
    geometries.set(aoiId, geometryText);
    bytes += geometryText.length;
    if (bytes > PAGE_BYTES && last !== undefined)
      return { items, next: [last.detectedAt.toISOString(), last.id] };
    items.push({ ...anomaly, geometryText });
    last = anomaly;
  }
  return { items, next: page.next };
}

/** @throws NotFound */
export async function getAnomaly(stores: Stores, owner: Owner, id: string): Promise<AnomalyRecord> {
  const anomaly = isId('anomaly', id) ? await stores.anomalies.find(owner, id) : undefined;
  if (anomaly === undefined) throw new NotFound(`There is no anomaly ${id}`);
  return anomaly;
}

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

/** Number of areas that are read together: at first, and at most. An area may have 400 kB. */
const FEW_AREAS = 4;
const MOST_AREAS = 256;

/**
 * Adds to each anomaly of a page the geometry of its area. The page ends early when they are large: see `PAGE_BYTES`.
 * Each area is read once. One query reads as many areas as the rest of the page can hold, by the size of those so far.
 */
export async function drawAnomalies(
  { aois }: Pick<Stores, 'aois'>,
  owner: Owner,
  page: Page<AnomalyListItem>,
): Promise<Page<DrawnAnomaly>> {
  const geometries = new Map<string, string>();
  const items: DrawnAnomaly[] = [];
  const areas = [...new Set(page.items.map(({ aoiId }) => aoiId))];
  let read = 0;
  let atOnce = FEW_AREAS;
  let bytes = 0;
  let last: AnomalyListItem | undefined;
  for (const anomaly of page.items) {
    const { aoiId } = anomaly;
    // Areas come in the order of their first anomaly, so this is the next one that was not read.
    if (aoiId === areas[read]) {
      const next = areas.slice(read, read + atOnce);
      for (const [id, text] of await aois.geometryTexts(owner, next)) geometries.set(id, text);
      read += next.length;
      const size = [...geometries.values()].reduce((sum, { length }) => sum + length, 1) / geometries.size;
      atOnce = Math.min(MOST_AREAS, 4 * atOnce, Math.max(1, Math.floor((PAGE_BYTES - bytes) / size)));
    }
    const geometryText = geometries.get(aoiId);
    if (geometryText === undefined) continue; // the area was deleted meanwhile
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

import { formatDay, parseMoment } from '../../base/time.ts';
import type { ChangeStatus } from '../../contract/changes.ts';
import { SUSPECTED_OMITTED_MAX } from '../../contract/limits.ts';
import { NotFound } from '../../base/errors.ts';
import { isId } from '../../base/ids.ts';
import { getAoi } from '../areas/manage-aois.ts';
import type { BriefChange, ChangeFilter, ChangeRecord, DrawnChange } from './change-store.ts';
import type { Owner } from '../owner.ts';
import { meetingBox } from '../meeting-box.ts';
import type { Page, PageRequest } from '../page.ts';
import type { PlaceAndTime } from '../place-and-time.ts';
import type { Stores } from '../storage.ts';

// Range to which the dates in queries are limited: a time with a UTC offset can fall into the year 0 or 10000 in UTC.
const FIRST_MS = Date.parse('0001-01-01');
const LAST_MS = Date.parse('9999-12-31');

/** Query parameters of a list of changes, as the caller wrote them. */
export interface ChangeQuery {
  readonly aoiId: string;
  /** Undefined: confirmed. */
  readonly status: ChangeStatus | 'all' | undefined;
  readonly since: string | undefined;
  readonly publishedSince: string | undefined;
}

export interface ChangePage<Item> extends Page<Item> {
  /**
   * Number of suspected changes that are left out because the query has no status, on all pages together; at most
   * `SUSPECTED_OMITTED_MAX`. Undefined if the query has a status.
   */
  readonly suspectedOmitted: number | undefined;
}

/** Lists the changes inside one of the caller's areas, newest first. @throws NotFound for an area of another owner */
export async function listChanges(
  stores: Stores,
  owner: Owner,
  query: ChangeQuery,
  page: PageRequest,
): Promise<ChangePage<BriefChange>> {
  const { filter, suspectedOmitted } = await readFilter(stores, owner, query);
  return { ...(await stores.changes.list(owner, filter, page)), suspectedOmitted };
}

/** Lists the same changes with their geometries. @throws NotFound for an area of another owner */
export async function listDrawnChanges(
  stores: Stores,
  owner: Owner,
  query: ChangeQuery,
  page: PageRequest,
): Promise<ChangePage<DrawnChange>> {
  const { filter, suspectedOmitted } = await readFilter(stores, owner, query);
  return { ...(await stores.changes.listDrawn(owner, filter, page)), suspectedOmitted };
}

/** Lists the confirmed changes that any of the owner's areas shows and that meet a box, the last recorded first. */
export async function listPlacedChanges(
  stores: Pick<Stores, 'changes'>,
  owner: Owner,
  { bounds, fromMs, toMs }: PlaceAndTime,
  page: PageRequest,
): Promise<Page<DrawnChange>> {
  // A change is dated by day: one of the day in which the span begins or ends is listed.
  const [firstDay, lastDay] = [fromMs, toMs].map((ms) => (ms === undefined ? undefined : dayOf(ms)));
  const filter = { status: 'confirmed', bounds, firstDay, lastDay } as const;
  return meetingBox(await stores.changes.listPlaced(owner, filter, page), bounds);
}

async function readFilter(stores: Stores, owner: Owner, query: ChangeQuery) {
  const aoi = await getAoi(stores, owner, query.aoiId);
  const filter: ChangeFilter = {
    aoiId: aoi.id,
    status: query.status ?? 'confirmed',
    // Changes are dated by day: a change detected on the day of `since` is listed, whatever the time in `since`.
    since: query.since === undefined ? undefined : dayOf(parseMoment(query.since)!.ms),
    publishedSince:
      query.publishedSince === undefined ? undefined : new Date(parseMoment(query.publishedSince)!.ms),
  };
  const suspectedOmitted =
    query.status === undefined
      ? await stores.changes.count(owner, { ...filter, status: 'suspected' }, SUSPECTED_OMITTED_MAX)
      : undefined;
  return { filter, suspectedOmitted };
}

/** The day of a time, limited to the years 1 to 9999, which the date format and the database support. */
function dayOf(ms: number): string {
  return formatDay(Math.min(Math.max(ms, FIRST_MS), LAST_MS));
}

/** Finds a change that is visible through one of the caller's areas. @throws NotFound */
export async function getChange(
  stores: Stores,
  owner: Owner,
  id: string,
): Promise<{ readonly change: ChangeRecord; readonly aoiIds: readonly string[] }> {
  const found = isId('change', id) ? await stores.changes.find(owner, id) : undefined;
  if (found === undefined) throw new NotFound(`There is no change ${id}`);
  return found;
}

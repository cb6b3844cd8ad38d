import { formatDay, parseMoment } from '../../base/time.ts';
import type { ChangeStatus } from '../../contract/changes.ts';
import { NotFound } from '../../base/errors.ts';
import { isId } from '../../base/ids.ts';
import { getAoi } from '../areas/manage-aois.ts';
import type { ChangeListItem, ChangeRecord } from './change-store.ts';
import type { Owner, Page, PageRequest } from '../owner.ts';
import type { Stores } from '../storage.ts';

const FIRST_MS = Date.parse('0001-01-01'); // years 0 and 10000 come of offsets from UTC
const LAST_MS = Date.parse('9999-12-31');

/** A list of changes as it was asked for. */
export interface ChangeQuery {
  readonly aoiId: string;
  readonly status: ChangeStatus | 'all';
  readonly since: string | undefined;
  readonly publishedSince: string | undefined;
}

/** Changes inside one of the caller's areas, newest first. @throws NotFound for an area that is not theirs */
export async function listChanges(
  stores: Stores,
  owner: Owner,
  query: ChangeQuery,
  page: PageRequest,
): Promise<Page<ChangeListItem>> {
  const aoi = await getAoi(stores, owner, query.aoiId);
  return stores.changes.list(
    owner,
    {
      aoiId: aoi.id,
      status: query.status,
      // Changes are dated by day: one detected on the day of `since` is in the list, whatever the hour asked for.
      since: query.since === undefined ? undefined : dayOf(parseMoment(query.since)!.ms),
      publishedSince:
        query.publishedSince === undefined ? undefined : new Date(parseMoment(query.publishedSince)!.ms),
    },
    page,
  );
}

/** The day of a time, within the years that a day can be written in and that a database knows. */
function dayOf(ms: number): string {
  return formatDay(Math.min(Math.max(ms, FIRST_MS), LAST_MS));
}

/** One change, if any of the caller's areas sees it. @throws NotFound */
export async function getChange(
  stores: Stores,
  owner: Owner,
  id: string,
): Promise<{ readonly change: ChangeRecord; readonly aoiIds: readonly string[] }> {
  const found = isId('change', id) ? await stores.changes.find(owner, id) : undefined;
  if (found === undefined) throw new NotFound(`There is no change ${id}`);
  return found;
}

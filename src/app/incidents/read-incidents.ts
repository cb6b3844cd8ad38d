import { InvalidInput, NotFound } from '../../base/errors.ts';
import { isId } from '../../base/ids.ts';
import { parseMoment } from '../../base/time.ts';
import type { IncidentStatus } from '../../contract/incidents.ts';
import type { Peril } from '../../contract/vocabulary.ts';
import { INCIDENT_MEMBERS } from '../../contract/limits.ts';
import { getAoi } from '../areas/manage-aois.ts';
import type { Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';
import { type PlaceAndTime, readBox } from '../place-and-time.ts';
import type { Stores } from '../storage.ts';
import type { IncidentMembers, IncidentRecord } from './incident-store.ts';

/** Query parameters of the list of incidents, as the caller wrote them. */
export interface IncidentQuery {
  readonly aoi_id?: string | undefined;
  readonly peril?: Peril | undefined;
  readonly status?: IncidentStatus | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly updated_since?: string | undefined;
  readonly bbox?: string | undefined;
}

/**
 * Lists incidents, those that began last first.
 * @throws NotFound for an area of another owner
 * @throws InvalidInput for a box that is none, and for `since` after `until`
 */
export async function listIncidents(
  stores: Pick<Stores, 'aois' | 'incidents'>,
  owner: Owner,
  query: IncidentQuery,
  page: PageRequest,
): Promise<Page<IncidentRecord>> {
  const { aoi_id: aoiId, peril, status, since, until, updated_since: updatedSince, bbox } = query;
  const bounds = bbox === undefined ? undefined : readBox(bbox);
  const [from, to] = [dateOf(since), dateOf(until)];
  if (from !== undefined && to !== undefined && from > to)
    throw new InvalidInput(`since: expected a time not after until (${until}), got ${since}`, {
      param: 'since',
    });
  if (aoiId !== undefined) await getAoi(stores, owner, aoiId);
  const filter = {
    aoiId,
    peril,
    status,
    since: from,
    until: to,
    updatedSince: dateOf(updatedSince),
    bounds,
  };
  return await stores.incidents.list(owner, filter, page);
}

/** Lists the incidents whose box overlaps a box and that began in a span, those that began last first. */
export function listPlacedIncidents(
  { incidents }: Pick<Stores, 'incidents'>,
  owner: Owner,
  { bounds, fromMs, toMs }: PlaceAndTime,
  page: PageRequest,
): Promise<Page<IncidentRecord>> {
  const since = fromMs === undefined ? undefined : new Date(withinYears(fromMs));
  // The end of a span belongs to it, and to no time that the database knows more finely.
  const until = toMs === undefined ? undefined : new Date(withinYears(toMs + 1));
  const all = { aoiId: undefined, peril: undefined, status: undefined, updatedSince: undefined };
  return incidents.list(owner, { ...all, since, until, bounds }, page);
}

/** Limits a time to the years that the database knows [ms since the Unix epoch]. */
const withinYears = (ms: number): number =>
  Math.min(Math.max(ms, Date.parse('0001-01-01')), Date.parse('9999-12-31'));

function dateOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(parseMoment(text)!.ms);
}

/** @throws NotFound */
export async function getIncident(
  stores: Pick<Stores, 'incidents'>,
  owner: Owner,
  id: string,
): Promise<{ readonly incident: IncidentRecord; readonly members: IncidentMembers }> {
  const incident = isId('incident', id) ? await stores.incidents.find(owner, id) : undefined;
  if (incident === undefined) throw new NotFound(`There is no incident ${id}`);
  return { incident, members: await stores.incidents.members(owner, incident.id, INCIDENT_MEMBERS) };
}

import { stableId } from '../../base/ids.ts';
import { formatTimestamp } from '../../base/time.ts';
import { INCIDENT_AREAS } from '../../contract/limits.ts';
import { groundAreaM2, sharedGrounds } from '../../incident/ground-area.ts';
import { groupMembers } from '../../incident/group-members.ts';
import { describeIncident } from '../../incident/incident.ts';
import type { Member } from '../../incident/member.ts';
import type { NewEvent } from '../events/event-store.ts';
import { type Sending, sendingOf } from '../events/quiet-hours.ts';
import type { Owner } from '../owner.ts';
import type { Storage, Stores } from '../storage.ts';
import { heirsOf, type Heirs } from './heirs.ts';
import type { IncidentRecord, MemberKey, Marked, MemberRecord } from './incident-store.ts';
import { memberOfAnomaly, memberOfChange } from './source-members.ts';
import { presentIncident } from './present-incident.ts';
import { lossesAround, searchAround } from './searches.ts';

/** Number of marked members that one transaction takes. */
const AT_ONCE = 500;

/** Where the marks of all accounts stand, and the transactions of each. */
interface MarkedStorage extends Pick<Storage, 'incidents'> {
  boundTo(owner: Owner): Pick<Storage, 'transaction'>;
}

/**
 * Makes the incidents of every account with newly published anomalies or changes. Accounts take turns.
 * @returns whether there were any
 */
export async function regroupAll(storage: MarkedStorage, signal?: AbortSignal): Promise<boolean> {
  const owners = await storage.incidents.marked();
  for (let left = owners; left.length > 0;) {
    const more: Owner[] = [];
    for (const owner of left) {
      if (signal?.aborted === true) return true;
      if (await storage.boundTo(owner).transaction((stores) => regroupSome(stores, owner))) more.push(owner);
    }
    left = more;
  }
  return owners.length > 0;
}

/**
 * Makes incidents from some marks of one owner, and emits their events. It is one transaction, so that a crash neither
 * loses an incident nor opens one twice.
 * @returns whether marks may be left
 */
async function regroupSome(stores: Stores, owner: Owner): Promise<boolean> {
  const { incidents } = stores;
  await incidents.hold(owner);
  const marked = await incidents.takeMarked(owner, AT_ONCE);
  const keys: readonly MemberKey[] = [
    ...marked.anomalies.map((id) => ({ kind: 'anomaly' as const, id })),
    ...marked.changes.map((id) => ({ kind: 'change' as const, id })),
  ];
  if (keys.length === 0) return false;
  const { anomalies, changes } = await incidents.sources(owner, marked);
  const current = [...anomalies.map(memberOfAnomaly), ...changes.map(memberOfChange)];
  const touched = new Set([
    ...(await incidents.incidentsOf(owner, keys)),
    ...(await incidents.near(owner, current.map(searchAround))),
    ...(await incidents.followed(owner, lossesAround(current))),
  ]);
  const known = await incidents.membersOf(owner, [...touched]);
  const isMarked = new Set(keys.map(keyOf));
  const kept = known.filter((member) => !isMarked.has(keyOf(member)) && member.areas.length > 0);
  const groups = groupMembers([...kept, ...current]);
  const before = new Map((await incidents.byIds(owner, [...touched])).map((one) => [one.id, one]));
  const incidentOf = new Map(known.map((member) => [keyOf(member), member.incidentId]));
  const heirs = heirsOf(
    groups.map((group) => group.map((member) => incidentOf.get(keyOf(member)))),
    [...before.values()],
  );
  const { isQuiet, past } = marked;
  await write(stores, owner, { groups, heirs, before, incidentOf, known, isMarked, isQuiet, past });
  return marked.count >= AT_ONCE;
}

interface Regrouped {
  readonly groups: readonly (readonly Member[])[];
  readonly heirs: Heirs;
  readonly before: ReadonlyMap<string, IncidentRecord>;
  readonly incidentOf: ReadonlyMap<string, string>;
  readonly known: readonly MemberRecord[];
  readonly isMarked: ReadonlySet<string>;
  readonly isQuiet: boolean;
  readonly past: Marked['past'];
}

/**
 * The subscriptions that ask for the anomalies of an incident. Empty for one that names only some of its
 * areas: it is sent at once.
 */
function askedBy(
  { aoiIds, areaCount, perils }: IncidentRecord,
  subscriptions: Awaited<ReturnType<Stores['subscriptions']['activeOn']>>,
): readonly Sending[] {
  if (areaCount > aoiIds.length) return [];
  return subscriptions.filter(
    (one) => aoiIds.includes(one.aoiId) && one.perils.some((peril) => perils.includes(peril)),
  );
}

async function write(
  { incidents, events, subscriptions }: Stores,
  owner: Owner,
  made: Regrouped,
): Promise<void> {
  const { groups, heirs, before, incidentOf, isMarked } = made;
  const now = new Date();
  const told: (NewEvent & { readonly record: IncidentRecord })[] = [];
  const tell = (type: NewEvent['type'], record: IncidentRecord, mergedInto?: string | null): number =>
    told.push({
      record,
      owner,
      type,
      data: {
        ...presentIncident(record),
        url: `/v1/incidents/${record.id}`,
        ...(mergedInto !== undefined && { merged_into: mergedInto }),
      },
    });
  const ids = await idsOf(incidents, owner, groups, heirs);
  const put: (IncidentRecord & { readonly allAoiIds: readonly string[] })[] = [];
  const putMembers: MemberRecord[] = [];
  for (const [g, group] of groups.entries()) {
    const id = ids[g]!;
    const former = before.get(id);
    const changed = group.filter(
      (member) => isMarked.has(keyOf(member)) || incidentOf.get(keyOf(member)) !== id,
    );
    const isPast = former?.isPast ?? changed.every((member) => made.past.has(member.id));
    const { allAoiIds, ...record } = {
      ...recordOf(owner, id, group, former?.openedAt ?? now, now),
      areaM2: await groundOf(incidents, group),
      isPast: isPast && changed.every((member) => incidentOf.has(keyOf(member)) || made.past.has(member.id)),
    };
    putMembers.push(...changed.map((member) => ({ ...member, incidentId: id })));
    const isSame = former !== undefined && looksSame(former, record);
    if (isSame && changed.length === 0) continue;
    put.push({ ...record, allAoiIds, ...(isSame && { updatedAt: former.updatedAt }) });
    if (isSame) continue;
    if (former === undefined) tell('incident.opened', record);
    if (record.status === 'closed' && former?.status !== 'closed') tell('incident.closed', record);
    else if (former !== undefined) tell('incident.updated', record);
  }
  const gone = [...before.keys()]
    .filter((id) => !ids.includes(id))
    .map((id) => ({ id, mergedInto: mergedInto(id, heirs, ids) }));
  for (const { id, mergedInto: into } of gone) {
    const former = before.get(id)!;
    const over = { status: 'closed', endedAt: former.endedAt ?? now, updatedAt: now } as const;
    tell('incident.closed', { ...former, ...over }, into);
  }
  const present = new Set(groups.flat().map(keyOf));
  await incidents.removeMembers(
    owner,
    made.known.filter((member) => !present.has(keyOf(member))),
  );
  await incidents.put(put);
  await incidents.putMembers(owner, putMembers);
  await incidents.remove(owner, gone);
  if (made.isQuiet || told.length === 0) return;
  const areas = [...new Set(told.flatMap(({ record }) => record.aoiIds))];
  const asked = await subscriptions.activeOn(owner, areas);
  const observed = await incidents.lastObserved(
    owner,
    told.map(({ record }) => record.id),
  );
  await events.emitAll(
    told.map(({ record, ...event }) => ({
      ...event,
      data: { ...event.data, last_observed_at: timeOrNull(observed.get(record.id)) },
      ...sendingOf(askedBy(record, asked), now.getTime(), record.isPast),
    })),
  );
}

/** Ids of the incidents of groups: that of the incident which a group continues, or a new one. */
async function idsOf(
  incidents: Stores['incidents'],
  owner: Owner,
  groups: readonly (readonly Member[])[],
  { continues }: Heirs,
): Promise<readonly string[]> {
  const ids: string[] = [];
  const taken = new Set(continues.values());
  for (const [g, group] of groups.entries()) {
    let id = continues.get(g);
    const [first] = group as readonly [Member];
    for (let salt = 0; id === undefined; salt++) {
      const made = stableId('incident', first.fromMs, [
        owner.accountId,
        owner.environment,
        first.kind,
        first.id,
        String(salt),
      ]);
      // An incident may go on without the member that its id was made of.
      const isFree = !taken.has(made) && (await incidents.byIds(owner, [made])).length === 0;
      if (isFree) id = made;
    }
    taken.add(id);
    ids.push(id);
  }
  return ids;
}

function mergedInto(id: string, { groupOf }: Heirs, ids: readonly string[]): string | null {
  const group = groupOf.get(id);
  return group === undefined ? null : ids[group]!;
}

function recordOf(
  owner: Owner,
  id: string,
  group: readonly Member[],
  openedAt: Date,
  now: Date,
): Omit<IncidentRecord, 'areaM2' | 'isPast'> & { readonly allAoiIds: readonly string[] } {
  const { startMs, endMs, areas, anomalies, changes, ...facts } = describeIncident(group);
  const allAoiIds = areas.map((area) => area.id);
  return {
    ...facts,
    id,
    accountId: owner.accountId,
    environment: owner.environment,
    startedAt: new Date(startMs),
    endedAt: endMs === null ? null : new Date(endMs),
    aoiIds: allAoiIds.slice(0, INCIDENT_AREAS),
    areaCount: allAoiIds.length,
    allAoiIds,
    anomalyCount: anomalies,
    changeCount: changes,
    openedAt,
    updatedAt: now,
  };
}

/** Ground of the changes of a group, each place once [m2], rounded to whole ones; null without a change. */
async function groundOf(incidents: Stores['incidents'], group: readonly Member[]): Promise<number | null> {
  const grounds = group
    .filter(({ kind }) => kind === 'change')
    .map(({ id, extent, areaM2 }) => ({ id, bounds: extent, areaM2 }));
  if (grounds.length === 0) return null;
  const shared = sharedGrounds(grounds).flat();
  const outlines = await incidents.outlines(shared.map((i) => grounds[i]!.id));
  const geometries = new Map(
    shared.flatMap((i) => {
      const outline = outlines.get(grounds[i]!.id);
      return outline === undefined ? [] : [[i, outline] as const];
    }),
  );
  return Math.round(groundAreaM2(grounds, geometries));
}

function timeOrNull(at: Date | undefined): string | null {
  return at === undefined ? null : formatTimestamp(at.getTime());
}

/** Whether a receiver would see no difference. */
function looksSame(before: IncidentRecord, now: IncidentRecord): boolean {
  const text = (record: IncidentRecord): string =>
    JSON.stringify(presentIncident({ ...record, openedAt: before.openedAt, updatedAt: before.updatedAt }));
  return text(before) === text(now);
}

function keyOf({ kind, id }: MemberKey): string {
  return `${kind} ${id}`;
}

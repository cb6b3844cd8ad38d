import type { IncidentStatus } from '../contract/incidents.ts';
import type { Severity } from '../contract/anomalies.ts';
import type { Peril } from '../contract/vocabulary.ts';
import { type Bbox, uniteBboxes } from '../geo/bbox.ts';
import type { Member } from './member.ts';
import { ownMembers } from './followed-loss.ts';
import { phenomenonOf } from './phenomena.ts';
import { incidentSeverity, severityRank } from './severity.ts';
import { incidentTitle } from './title.ts';

/** What is known of an incident from its members. */
export interface IncidentFacts {
  readonly title: string;
  readonly severity: Severity;
  /** Perils of its members, sorted. */
  readonly perils: readonly Peril[];
  /** Metrics of its anomalies and types of its changes, sorted. */
  readonly kinds: readonly string[];
  readonly startMs: number;
  readonly status: IncidentStatus;
  /** Null unless all of it is over. */
  readonly endMs: number | null;
  readonly bounds: Bbox;
  /** All areas, the one with the most members first. */
  readonly areas: readonly { readonly id: string; readonly name: string }[];
  readonly anomalies: number;
  readonly changes: number;
  /** The largest change, which has pictures; null without a change. */
  readonly picturedChange: string | null;
}

/**
 * Describes an incident. Low greenness that follows from its losses of vegetation is counted, and decides nothing else.
 * @param members at least one, in their order
 */
export function describeIncident(members: readonly Member[]): IncidentFacts {
  const own = ownMembers(members);
  const lastMs = own.reduce((latest, { toMs }) => Math.max(latest, toMs), -Infinity);
  const overMs = own.reduce((latest, { overMs: over }) => Math.max(latest, over), -Infinity);
  const areas = areasOf(members, new Set(own));
  const changes = members.filter(({ kind }) => kind === 'change');
  const largest = changes.reduce<Member | undefined>(
    (found, change) => (found === undefined || change.areaM2 > found.areaM2 ? change : found),
    undefined,
  );
  return {
    title: incidentTitle(own, areas, lastMs === Infinity ? null : lastMs),
    severity: incidentSeverity(own),
    perils: [...new Set(own.flatMap((member) => phenomenonOf(member).peril ?? []))].toSorted(),
    kinds: [...new Set(members.map(({ what }) => what))].toSorted(),
    startMs: members[0]!.fromMs,
    status: lastMs === Infinity ? 'open' : overMs === Infinity ? 'standing' : 'closed',
    endMs: overMs === Infinity ? null : overMs,
    bounds: members.map(({ extent }) => extent).reduce(uniteBboxes),
    areas,
    anomalies: members.length - changes.length,
    changes: changes.length,
    picturedChange: largest?.id ?? null,
  };
}

/** The areas of the members: those with the most severe of `own` first, then those with the most. */
function areasOf(members: readonly Member[], own: ReadonlySet<Member>): IncidentFacts['areas'] {
  const found = new Map<string, { readonly name: string; rank: number; count: number }>();
  for (const member of members)
    for (const { id, name } of member.areas) {
      const known = found.get(id) ?? { name, rank: 0, count: 0 };
      found.set(id, known);
      if (!own.has(member)) continue;
      known.rank = Math.max(known.rank, severityRank(member.severity));
      known.count++;
    }
  return [...found]
    .toSorted(
      ([idA, a], [idB, b]) =>
        b.rank - a.rank ||
        b.count - a.count ||
        (a.name === b.name ? (idA < idB ? -1 : 1) : a.name < b.name ? -1 : 1),
    )
    .map(([id, { name }]) => ({ id, name }));
}

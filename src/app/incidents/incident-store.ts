import type { Severity } from '../../contract/anomalies.ts';
import type { IncidentStatus } from '../../contract/incidents.ts';
import type { Peril } from '../../contract/vocabulary.ts';
import type { Bbox } from '../../geo/bbox.ts';
import type { AreaGeometry } from '../../geo/polygon.ts';
import type { Member } from '../../incident/member.ts';
import type { Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';

/** An incident as recorded. */
export interface IncidentRecord extends Owner {
  readonly id: string;
  readonly title: string;
  readonly severity: Severity;
  readonly perils: readonly Peril[];
  /** Metrics of its anomalies and types of its changes. */
  readonly kinds: readonly string[];
  readonly startedAt: Date;
  readonly status: IncidentStatus;
  /** Null unless it is closed. */
  readonly endedAt: Date | null;
  readonly bounds: Bbox;
  /** Its main areas, at most `INCIDENT_AREAS`. */
  readonly aoiIds: readonly string[];
  /** Number of all its areas. */
  readonly areaCount: number;
  readonly anomalyCount: number;
  readonly changeCount: number;
  /** Ground of its changes, each place once [m2]; null without a change. */
  readonly areaM2: number | null;
  /** Whether everything of it was past when it was found: no event of it is sent unless a subscription wants the past. */
  readonly isPast: boolean;
  /** Id of the change that has its pictures; null without a change. */
  readonly picturedChange: string | null;
  readonly openedAt: Date;
  readonly updatedAt: Date;
  /** Newest image or reading of the sources of its newest members. Known where incidents are read to be shown. */
  readonly lastObservedAt?: Date | null | undefined;
}

/** What identifies a member. */
export type MemberKey = Pick<Member, 'kind' | 'id'>;

/** A member as recorded. Its areas have their present names; those that were deleted are left out. */
export interface MemberRecord extends Member {
  readonly incidentId: string;
}

/** An anomaly that may be a member: its area exists, and a subscription asks for its peril. */
export interface AnomalySource {
  readonly id: string;
  readonly metric: string;
  readonly peril: Peril;
  readonly severity: Severity;
  readonly residual: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly aoi: { readonly id: string; readonly name: string; readonly bounds: Bbox };
  /** Position of its station; null for a mean over the area. */
  readonly station: { readonly lng: number; readonly lat: number } | null;
}

/** A change that was confirmed and may be a member, with the areas through which the owner sees it. */
export interface ChangeSource {
  readonly id: string;
  readonly type: string;
  readonly areaM2: number;
  readonly bounds: Bbox;
  /** Days, `YYYY-MM-DD`. */
  readonly firstAnomalyAt: string;
  readonly recoveredAt: string | null;
  readonly areas: Member['areas'];
}

/** Members that were published or removed since incidents were last made of them. */
export interface Marked {
  readonly anomalies: readonly string[];
  readonly changes: readonly string[];
  /** Whether all of them were there before this release, so that no events tell of them. */
  readonly isQuiet: boolean;
  /** Ids of those that were past when they were found. */
  readonly past: ReadonlySet<string>;
  /** Number of marks, of which several may be of one member. */
  readonly count: number;
}

export interface IncidentFilter {
  readonly aoiId: string | undefined;
  readonly peril: Peril | undefined;
  readonly status: IncidentStatus | undefined;
  /** Began at or after this. */
  readonly since: Date | undefined;
  /** Began before this. */
  readonly until: Date | undefined;
  /** Opened or changed at or after this. */
  readonly updatedSince: Date | undefined;
  readonly bounds: Bbox | undefined;
}

/** Anomalies and changes of one incident as its page shows them. */
export interface IncidentMembers {
  readonly anomalies: readonly {
    readonly id: string;
    readonly metric: string;
    readonly peril: Peril;
    readonly severity: Severity;
    readonly aoiId: string;
    readonly startedAt: Date;
    readonly endedAt: Date | null;
  }[];
  readonly changes: readonly {
    readonly id: string;
    readonly type: string;
    readonly status: string;
    readonly confidence: number;
    readonly areaM2: number;
    readonly firstAnomalyAt: string;
    readonly confirmedAt: string | null;
  }[];
}

/**
 * Incidents and their members. Whatever writes an anomaly, or shows a change to an account, marks it in the same
 * transaction; so do the other stores when an area or a subscription changes. Incidents are made of what is marked.
 */
export interface IncidentStore {
  /** Outlines of changes, by their ids. */
  outlines(changeIds: readonly string[]): Promise<ReadonlyMap<string, AreaGeometry>>;
  /** A page may have fewer items than its limit although more follow, see `boundedPage`. */
  list(owner: Owner, filter: IncidentFilter, page: PageRequest): Promise<Page<IncidentRecord>>;
  /** The incidents of a subscription that began or changed after a time, those that began last first, and their number. */
  news(
    owner: Owner,
    of: {
      readonly aoiId: string;
      readonly perils: readonly Peril[];
      readonly after: Date;
      /** Whether those that were past when they were found are news too. */
      readonly withPast: boolean;
      readonly most: number;
    },
  ): Promise<{ readonly incidents: readonly IncidentRecord[]; readonly count: number }>;
  /** Finds an incident. The id of one that became part of another finds the other. */
  find(owner: Owner, id: string): Promise<IncidentRecord | undefined>;
  /** The members of an incident, at most `most` of each kind, those that began last first. */
  members(owner: Owner, id: string, most: number): Promise<IncidentMembers>;

  /** Owners with marked members. */
  marked(): Promise<readonly Owner[]>;
  /** Marks members that a release without incidents wrote or removed while it ran beside this one. */
  markMissed(): Promise<void>;
  /** Locks the incidents of an owner until the transaction ends. */
  hold(owner: Owner): Promise<void>;
  /** Takes marks of an owner, at most `limit`. */
  takeMarked(owner: Owner, limit: number): Promise<Marked>;
  sources(
    owner: Owner,
    marked: Pick<Marked, 'anomalies' | 'changes'>,
  ): Promise<{ readonly anomalies: readonly AnomalySource[]; readonly changes: readonly ChangeSource[] }>;
  /** Ids of the incidents of members. Unknown members are left out. */
  incidentsOf(owner: Owner, members: readonly MemberKey[]): Promise<readonly string[]>;
  /** Ids of the incidents with a member that is in one of some times and boxes. */
  near(
    owner: Owner,
    searches: readonly { readonly fromMs: number; readonly toMs: number; readonly box: Bbox }[],
  ): Promise<readonly string[]>;
  /** Ids of the incidents with losses that are large enough to explain anomalies, or with anomalies after losses. */
  followed(
    owner: Owner,
    around: {
      /** Losses that began by `untilMs` and stood at `fromMs`, of at least `leastM2`. */
      readonly anomalies: readonly {
        readonly fromMs: number;
        readonly untilMs: number;
        readonly box: Bbox;
        readonly leastM2: number;
      }[];
      /** Anomalies of low greenness that began from `fromMs` to `overMs`. */
      readonly losses: readonly { readonly fromMs: number; readonly overMs: number; readonly box: Bbox }[];
      readonly lossTypes: readonly string[];
    },
  ): Promise<readonly string[]>;
  /** When the sources of some incidents were last observed, by the ids of the incidents. */
  lastObserved(owner: Owner, ids: readonly string[]): Promise<ReadonlyMap<string, Date>>;
  membersOf(owner: Owner, incidentIds: readonly string[]): Promise<readonly MemberRecord[]>;
  byIds(owner: Owner, ids: readonly string[]): Promise<readonly IncidentRecord[]>;
  /** Inserts or updates incidents, with all their areas. */
  put(incidents: readonly (IncidentRecord & { readonly allAoiIds: readonly string[] })[]): Promise<void>;
  putMembers(owner: Owner, members: readonly MemberRecord[]): Promise<void>;
  removeMembers(owner: Owner, members: readonly MemberKey[]): Promise<void>;
  /** Removes incidents without members, or leaves them as other names of the incidents that they became part of. */
  remove(
    owner: Owner,
    gone: readonly { readonly id: string; readonly mergedInto: string | null }[],
  ): Promise<void>;
}

import type { ColumnType } from 'kysely';
import type { Environment } from '../../app/owner.ts';

interface Owned {
  account_id: string;
  environment: Environment;
}

export interface IncidentsTable extends Owned {
  id: string;
  title: string;
  severity: string;
  status: string;
  perils: string[];
  kinds: string[];
  started_at: Date;
  ended_at: Date | null;
  bounds: string;
  /** The main areas; all of them are in `incident_areas`. */
  aoi_ids: string[];
  area_count: number;
  anomaly_count: number;
  change_count: number;
  pictured_change: string | null;
  opened_at: Date;
  updated_at: Date;
  /** Null without a change, and of a release before that writes beside this one. */
  area_m2: ColumnType<number | null, number | null | undefined, number | null>;
  past: ColumnType<boolean, boolean | undefined, boolean>;
  /** The incident that this one became part of. Only its id is still used. */
  merged_into: ColumnType<string | null, string | null | undefined, string | null>;
}

interface IncidentAreasTable extends Owned {
  aoi_id: string;
  incident_id: string;
}

export interface IncidentMembersTable extends Owned {
  kind: 'anomaly' | 'change';
  id: string;
  incident_id: string;
  what: string;
  sign: number;
  peril: string | null;
  severity: string;
  /** Milliseconds since the Unix epoch; `to_ms` is infinite while the member lasts. */
  from_ms: number;
  to_ms: number;
  ground: string;
  extent: string;
  aoi_ids: string[];
  area_m2: number;
  /** Departure of low greenness in the mean over an area; null for everything else, and of a release before. */
  departure: ColumnType<number | null, number | null | undefined, number | null>;
  /** When it was over; infinite while it lasts or stands. Null where a release before wrote it: `to_ms` then. */
  over_ms: ColumnType<number | null, number | undefined, number>;
}

interface IncidentMarksTable extends Owned {
  kind: 'anomaly' | 'change';
  id: string;
  /** Whether the member was there before this release. */
  quiet: ColumnType<boolean, boolean | undefined, never>;
  /** Whether the member was past when it was found. */
  past: ColumnType<boolean, boolean | undefined, never>;
}

interface IncidentHeadsTable extends Owned {}

export interface IncidentTables {
  incidents: IncidentsTable;
  incident_areas: IncidentAreasTable;
  incident_members: IncidentMembersTable;
  incident_marks: IncidentMarksTable;
  incident_heads: IncidentHeadsTable;
}

import type { StationFeedsTable } from './tables/station-feed-table.ts';
import type { ColumnType, Generated } from 'kysely';
import type { ToldAs } from '../app/changes/change-store.ts';
import type { Environment } from '../app/owner.ts';
import type { LoggedAttempt } from '../app/webhooks/delivery-log.ts';
import type { CatalogueAreasTable, CataloguesTable } from './tables/catalogue-tables.ts';
import type { CredentialTables } from './tables/credential-tables.ts';
import type { IncidentTables } from './tables/incident-tables.ts';
import type { JobStreamTable, JobsTable, SearchUnitsTable } from './tables/job-tables.ts';
import type { NodesTable } from './tables/node-table.ts';
import type { PeopleTables } from './tables/people-tables.ts';
import type { SandboxTable } from './tables/sandbox-table.ts';
import type { RiskStatesTable, RiskWatchesTable } from './tables/watch-tables.ts';
import type { StationSeriesTable, StationsTable } from './tables/station-tables.ts';

type Defaulted<T> = ColumnType<T, T | undefined, T>;
/** A JSON column. pg returns the parsed value; it is written as JSON text. */
type Json<T = unknown> = ColumnType<T, string, string>;
/** A `box` column, read and written in PostgreSQL's text form. */
type Box = string;

interface Owned {
  account_id: string;
  environment: Environment;
}

interface AccountsTable {
  id: string;
  name: string;
  created_at: Generated<Date>;
  disabled_at: Defaulted<Date | null>;
}

interface AccountUseTable extends Owned {
  kind: string;
  used: number;
}

interface ApiKeysTable extends Owned {
  id: string;
  name: Defaulted<string | null>;
  secret_hash: Buffer;
  scopes: string[];
  rate_limit: number;
  created_at: Generated<Date>;
  expires_at: Date | null;
  revoked_at: Defaulted<Date | null>;
  last_used_at: Defaulted<Date | null>;
}

export interface AoisTable extends Owned {
  id: string;
  name: string;
  geometry: Json;
  /** Positions of the geometry, those that close rings included; computed by the database. */
  positions: ColumnType<number, never, never>;
  bounds: Box;
  area_m2: number;
  created_at: Defaulted<Date>;
  deleted_at: Defaulted<Date | null>;
}

export interface CollectionsTable {
  account_id: string | null;
  environment: Environment;
  id: string;
  name: string;
  metric: string;
  unit: string;
  kind: Defaulted<'raster' | 'points'>;
  derived_from: Defaulted<string[] | null>;
  silent_after: Defaulted<Date | null>;
  simulated: Defaulted<boolean>;
  /** `scale` and the next four columns are null in a collection of points. */
  scale: Defaulted<number | null>;
  value_offset: Defaulted<number | null>;
  sample_type: Defaulted<string | null>;
  grid: ColumnType<unknown, string | null | undefined, string | null>;
  pixel_area_m2: Defaulted<number | null>;
  bounds: Box;
  monitored_as: Defaulted<string | null>;
  created_at: Generated<Date>;
}

interface ScenesTable {
  collection_id: string;
  id: string;
  key: string;
  href: string;
  observed_at: Date;
  sha256: string;
  clear_fraction: number;
  reading: ColumnType<unknown, string | null, string | null>;
  colour_of: ColumnType<string | null, string | null | undefined>;
  ingested_at: Generated<Date>;
}

export interface ChangesTable {
  environment: Environment;
  collection_id: string;
  id: string;
  model_version: string;
  object_key: string;
  type: string;
  status: string;
  confidence: number;
  metric: string;
  magnitude: number;
  area_m2: number;
  geometry: Json;
  bounds: Box;
  first_anomaly_at: string;
  detected_at: string;
  confirmed_at: string | null;
  recovered_at: string | null;
  digest: string;
  provenance: Json;
  /** Kind of the baseline in the provenance, so that counts need not read the provenance. */
  baseline: string | null;
  versions: Json;
  /** What events told about the change; null before the first. */
  told_as: ToldAs | null;
  created_at: Defaulted<Date>;
  updated_at: Defaulted<Date>;
}

interface AoiChangesTable extends Owned {
  aoi_id: string;
  change_id: string;
  status: string;
  detected_at: string;
  published_at: Generated<Date>;
}

export interface SubscriptionsTable extends Owned {
  id: string;
  aoi_id: string;
  perils: string[];
  status: string;
  quiet_hours: ColumnType<unknown, string | null | undefined, string | null>;
  digest: Defaulted<string | null>;
  past: Defaulted<boolean>;
  /** When its last digest was made, or when the digests began. */
  digested_at: Defaulted<Date | null>;
  created_at: Defaulted<Date>;
}

export interface AnomaliesTable extends Owned {
  id: string;
  aoi_id: string;
  collection_id: string;
  station_id: Defaulted<string | null>;
  metric: string;
  peril: string;
  severity: string;
  value: number;
  expected: number;
  residual: number;
  started_at: Date;
  detected_at: Date;
  ended_at: Date | null;
  provenance: Json;
  published_at: Generated<Date>;
}

export interface WebhooksTable extends Owned {
  id: string;
  url: string;
  events: string[];
  /** Secrets, newest first. `box`: the sealed secret in base64. `until`: time at which it expires; null: never. */
  secrets: Json<readonly { readonly box: string; readonly until: string | null }[]>;
  status: string;
  disabled_reason: Defaulted<string | null>;
  failing_since: Defaulted<Date | null>;
  /** `webhook`, or `mail` for an e-mail address, which is sealed in `secrets`; `url` is then `mailto:`. */
  kind: Defaulted<string>;
  confirm_hash: Defaulted<Buffer | null>;
  confirm_until: Defaulted<Date | null>;
  confirmed_at: Defaulted<Date | null>;
  stop_hash: Defaulted<Buffer | null>;
  created_at: Defaulted<Date>;
}

/** Mails of a day to an address or of an account, by a keyed hash of it. */
interface MailCountsTable {
  hash: Buffer;
  day: string;
  count: number;
}

interface MailRefusalsTable {
  hash: Buffer;
  refused_at: Date;
}

export interface EventsTable extends Owned {
  id: string;
  type: string;
  body: string;
  /** Number among the events of the owner; null until the event is numbered. */
  seq: Generated<number | null>;
  xid: Generated<string>;
  created_at: Defaulted<Date>;
  /** Header `traceparent` of what caused it; null when no traces were made. */
  traceparent: Defaulted<string | null>;
}

interface EventHeadsTable extends Owned {
  /** Highest number of an event of the owner. */
  seq: Generated<number>;
  /** Until then, events are numbered in the order of the former release. */
  by_xid_until: Generated<Date>;
}

export interface DeliveriesTable {
  account_id: string;
  id: string;
  event_id: string;
  webhook_id: string;
  status: Defaulted<string>;
  attempts: Defaulted<number>;
  attempts_before: Defaulted<number>;
  next_attempt_at: Defaulted<Date>;
  lease: Defaulted<string | null>;
  leased_until: Defaulted<Date | null>;
  /** The newest attempt; null before the first. */
  last_attempt: ColumnType<LoggedAttempt | null, string | null | undefined, string | null>;
  created_at: Defaulted<Date>;
}

interface DeliveryAttemptsTable {
  account_id: string;
  delivery_id: string;
  attempt: number;
  attempted_at: Date;
  duration_ms: number;
  status: number | null;
  answer: string | null;
  error: string | null;
}

interface IdempotencyKeysTable extends Owned {
  key: string;
  operation: string;
  request_hash: Buffer;
  answer: Buffer | null;
  created_at: Defaulted<Date>;
}

/** Tables of the database, for kysely. */
export interface Database extends CredentialTables, IncidentTables, PeopleTables {
  environments: { name: Environment };
  ground_blocks: { environment: Environment; block: number };
  release_floor: { one: Generated<boolean>; oldest: string };
  former_locks: { one: Generated<boolean>; former_until: Date };
  publications: { collection_id: string; holder: string; held_until: Date };
  accounts: AccountsTable;
  api_keys: ApiKeysTable;
  account_use: AccountUseTable;
  aois: AoisTable;
  collections: CollectionsTable;
  scenes: ScenesTable;
  stations: StationsTable;
  /** View of `stations`. Under row-level security, only a search by place through this view can use the index. */
  readable_stations: StationsTable;
  station_series: StationSeriesTable;
  changes: ChangesTable;
  /** View of `changes`. Under row-level security, only a search by place through this view can use the index. */
  readable_changes: Omit<ChangesTable, 'baseline' | 'versions' | 'told_as'>;
  aoi_changes: AoiChangesTable;
  subscriptions: SubscriptionsTable;
  anomalies: AnomaliesTable;
  webhooks: WebhooksTable;
  mail_counts: MailCountsTable;
  mail_refusals: MailRefusalsTable;
  events: EventsTable;
  event_heads: EventHeadsTable;
  deliveries: DeliveriesTable;
  delivery_attempts: DeliveryAttemptsTable;
  risk_watches: RiskWatchesTable;
  risk_states: RiskStatesTable;
  idempotency_keys: IdempotencyKeysTable;
  sandbox: SandboxTable;
  nodes: NodesTable;
  jobs: JobsTable;
  job_stream: JobStreamTable;
  search_units: SearchUnitsTable;
  standing_feeds: CataloguesTable;
  standing_feed_areas: CatalogueAreasTable;
  station_feeds: StationFeedsTable;
}

import type { ChangeStatus, Provenance } from '../contract/changes.ts';
import type { Severity } from '../contract/anomalies.ts';
import type { EventType } from '../contract/events.ts';
import type { Peril } from '../contract/fields.ts';
import type { SubscriptionStatus } from '../contract/subscriptions.ts';
import type { Bbox } from '../geo/bbox.ts';
import type { Grid } from '../geo/grid.ts';
import type { AreaGeometry } from '../geo/polygon.ts';
import type { ClientStore, GrantStore, SigningKeyStore } from './client-store.ts';
import type { DeliveryLog } from './delivery-log.ts';
import type { EventLog } from './event-log.ts';
import type { FeedStore, Station } from './feed-store.ts';
import type { AuditStore } from './audit-store.ts';
import type { Environment, SampleType } from './ports.ts';
import type { UsageStore } from './usage-meter.ts';
import type { SandboxStore } from './sandbox-store.ts';
import type { StandingFeedStore } from './standing-feed-store.ts';
import type { WatchStore } from './watch-store.ts';

/** Whose rows a query may touch. Every query on owned rows takes one; there is no other way to reach them. */
export interface Owner {
  readonly accountId: string;
  readonly environment: Environment;
}

/** One page of a list, and where the next begins. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Undefined when nothing is left. */
  readonly next: readonly string[] | undefined;
}

/** Which page of a list: how many items, after the position that an earlier page ended with. */
export interface PageRequest {
  readonly limit: number;
  readonly after: readonly string[] | undefined;
}

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  /** When it was closed, and all its credentials with it; null while it is open. */
  readonly disabledAt: Date | null;
}

export interface ApiKeyRecord extends Owner {
  readonly id: string;
  readonly name: string | null;
  readonly secretHash: Buffer;
  readonly scopes: readonly string[];
  readonly rateLimit: number;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  /** When its account was closed; null while it is open. */
  readonly accountDisabledAt: Date | null;
}

export interface Aoi extends Owner {
  readonly id: string;
  readonly name: string;
  readonly geometry: AreaGeometry;
  readonly bounds: Bbox;
  readonly areaM2: number;
  readonly createdAt: Date;
}

/** The observations of one metric on one grid; metrics of one name, environment and owner belong together. */
export interface Collection {
  readonly id: string;
  readonly environment: Environment;
  /** Null: serves every account of its environment. */
  readonly accountId: string | null;
  readonly name: string;
  readonly metric: string;
  readonly unit: string;
  /** Value = raw * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  readonly sampleType: SampleType;
  readonly grid: Grid;
  readonly pixelAreaM2: number;
  readonly bounds: Bbox;
}

export interface Scene {
  readonly id: string;
  readonly key: string;
  readonly href: string;
  readonly observedAt: Date;
  /** SHA-256 (hex) of the samples stored. */
  readonly sha256: string;
  readonly clearFraction: number;
}

/** A change as recorded; days are `YYYY-MM-DD`. */
export interface ChangeRecord {
  readonly id: string;
  readonly environment: Environment;
  readonly collectionId: string;
  readonly modelVersion: string;
  /** Hash of the earliest flagged pixel and its first anomaly date: the same change again has the same key. */
  readonly objectKey: string;
  readonly type: string;
  readonly status: ChangeStatus;
  readonly confidence: number;
  readonly metric: string;
  readonly magnitude: number;
  readonly areaM2: number;
  readonly geometry: AreaGeometry;
  readonly bounds: Bbox;
  readonly firstAnomalyAt: string;
  readonly detectedAt: string;
  readonly confirmedAt: string | null;
  readonly recoveredAt: string | null;
  readonly digest: string;
  readonly provenance: Provenance;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type NewChange = Omit<ChangeRecord, 'createdAt' | 'updatedAt'>;

/** What a list needs of a change. */
export interface ChangeListItem extends Omit<ChangeRecord, 'provenance' | 'digest'> {
  readonly aoiIds: readonly string[];
}

export interface Subscription extends Owner {
  readonly id: string;
  readonly aoiId: string;
  readonly perils: readonly Peril[];
  readonly status: SubscriptionStatus;
  readonly createdAt: Date;
}

export interface AnomalyRecord extends Owner {
  readonly id: string;
  readonly aoiId: string;
  readonly collectionId: string;
  /** Where it was measured; null: over the area, by a grid. */
  readonly station: Station | null;
  readonly metric: string;
  readonly peril: Peril;
  readonly severity: Severity;
  readonly value: number;
  readonly expected: number;
  readonly residual: number;
  readonly startedAt: Date;
  readonly detectedAt: Date;
  readonly endedAt: Date | null;
  readonly provenance: Readonly<Record<string, unknown>>;
}

export interface WebhookRecord extends Owner {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly status: 'active' | 'disabled';
  readonly disabledReason: string | null;
  readonly createdAt: Date;
}

export interface AccountStore {
  create(name: string): Promise<Account>;
  byName(name: string): Promise<Account | undefined>;
  /** Closes an account at a time, or (null) opens it again. */
  setDisabled(id: string, at: Date | null): Promise<void>;
  list(): Promise<readonly Account[]>;
}

export interface KeyStore {
  create(
    key: Omit<ApiKeyRecord, 'createdAt' | 'revokedAt' | 'lastUsedAt' | 'accountDisabledAt'>,
  ): Promise<void>;
  /** By public id, whoever owns it: only for authentication and the operator's command line. */
  find(id: string): Promise<ApiKeyRecord | undefined>;
  list(): Promise<readonly ApiKeyRecord[]>;
  /** Those of one owner that are not revoked at a time, newest first. */
  owned(owner: Owner, now: Date, page: PageRequest): Promise<Page<ApiKeyRecord>>;
  /** Keys of open accounts that expire in a span of time and have not been replaced. */
  expiring(from: Date, until: Date): Promise<readonly ApiKeyRecord[]>;
  /**
   * Ends a key at a time (now: revocation; later: the overlap of a rotation), unless it ends before.
   * @returns when it ends; undefined when there is none
   */
  end(id: string, at: Date): Promise<Date | undefined>;
  touch(id: string, at: Date): Promise<void>;
}

export interface AoiStore {
  create(aoi: Omit<Aoi, 'createdAt'>): Promise<Aoi>;
  find(owner: Owner, id: string): Promise<Aoi | undefined>;
  /** By id, whoever owns it: only for the operator's command line. */
  locate(id: string): Promise<Aoi | undefined>;
  list(owner: Owner, page: PageRequest): Promise<Page<Aoi>>;
  rename(owner: Owner, id: string, name: string): Promise<Aoi | undefined>;
  /** Hides it and cancels its subscriptions. False when there is none. */
  remove(owner: Owner, id: string): Promise<boolean>;
  /** Cancels subscriptions, and removes watches, that were made while their area was deleted; does nothing to a live one. */
  endOf(id: string): Promise<void>;
  /** Areas whose bounds overlap, of one account or (null) of all. */
  overlapping(environment: Environment, accountId: string | null, bounds: Bbox): Promise<readonly Aoi[]>;
}

/** Collections that can tell of a place. */
export interface Observing {
  /** Those whose bounds hold it, the smallest pixels first. */
  readonly rasters: readonly Collection[];
  /** Ids of those of points whose bounds overlap the box around it. */
  readonly pointIds: readonly string[];
}

/** The scenes of one metric of a collection. */
export interface Imagery {
  readonly collection: string;
  readonly metric: string;
  readonly scenes: number;
  /** When its first and its last scene were taken. */
  readonly firstAt: Date;
  readonly lastAt: Date;
}

export interface CollectionStore {
  /** False when there is one of that name and metric, of images or of stations. */
  create(collection: Collection): Promise<boolean>;
  find(id: string): Promise<Collection | undefined>;
  /** One for each metric that the name holds, the first made first: it stands for all. */
  byName(environment: Environment, accountId: string | null, name: string): Promise<readonly Collection[]>;
  /** All there are, by environment, owner and name. */
  list(): Promise<readonly Collection[]>;
  /** Those that an owner may read, which hold a metric over a point or box. */
  covering(owner: Owner, metric: string, bounds: Bbox): Promise<readonly Collection[]>;
  /** What an owner may read of a metric at a place, by one question: pixels over it, and points around it. */
  observing(owner: Owner, metric: string, place: Bbox, around: Bbox): Promise<Observing>;
  /** What the collections that an owner may read hold of a box, by name and metric; those without a scene are left out. */
  imagery(owner: Owner, bounds: Bbox): Promise<readonly Imagery[]>;
  /** How many collections an owner may read, by metric. */
  countByMetric(owner: Owner): Promise<ReadonlyMap<string, number>>;
  scenes(collectionId: string): Promise<readonly Scene[]>;
  /** Records scenes; one of the same key is replaced. */
  putScenes(collectionId: string, scenes: readonly Scene[]): Promise<void>;
  /** Forgets scenes; keys that are unknown do nothing. */
  removeScenes(collectionId: string, keys: readonly string[]): Promise<void>;
  /** Forgets a collection with its scenes, changes and anomalies. */
  remove(collectionId: string): Promise<void>;
  /** What the collection was last monitored as: a hash of its scenes and the model; null when never, or not since. */
  monitoredAs(collectionId: string): Promise<string | null>;
  setMonitoredAs(collectionId: string, state: string): Promise<void>;
  /** Serialises the publishing of one collection over processes until the transaction ends. */
  lock(collectionId: string): Promise<void>;
}

export interface ChangeFilter {
  readonly aoiId: string;
  readonly status: ChangeStatus | 'all';
  /** YYYY-MM-DD. */
  readonly since: string | undefined;
  readonly publishedSince: Date | undefined;
}

export interface ChangeStore {
  list(owner: Owner, filter: ChangeFilter, page: PageRequest): Promise<Page<ChangeListItem>>;
  /** Visible through one of the owner's areas, or through one deleted in the last 30 days. */
  find(owner: Owner, id: string): Promise<{ change: ChangeRecord; aoiIds: readonly string[] } | undefined>;
  /** By id, whoever may see it: only for the operator's command line. */
  locate(id: string): Promise<ChangeRecord | undefined>;
  ofCollection(collectionId: string, modelVersion: string): Promise<readonly ChangeRecord[]>;
  overlapping(
    owner: Owner,
    bounds: Bbox,
  ): Promise<readonly Pick<ChangeRecord, 'id' | 'geometry' | 'status' | 'detectedAt'>[]>;
  insert(change: NewChange): Promise<void>;
  update(change: NewChange): Promise<void>;
  /** Makes a change visible through areas; those it is visible through already are left. Stale ones are unlinked, but not deleted areas. */
  link(
    change: Pick<ChangeRecord, 'id' | 'status' | 'detectedAt'>,
    aois: readonly Pick<Aoi, 'id' | 'accountId' | 'environment'>[],
  ): Promise<void>;
  /** Makes a change visible through one more area. */
  reveal(
    change: Pick<ChangeRecord, 'id' | 'status' | 'detectedAt'>,
    aoi: Pick<Aoi, 'id' | 'accountId' | 'environment'>,
  ): Promise<void>;
  /** Keeps an area from being made while changes are published, and the other way round: one sees the other, always. */
  lockPublishing(environment: Environment, mode: 'publish' | 'create area'): Promise<void>;
}

export interface SubscriptionStore {
  /** Undefined when there is a live one on the same area and perils, also one that another call makes just now. */
  create(subscription: Omit<Subscription, 'createdAt'>): Promise<Subscription | undefined>;
  /** The live one on the same area and perils (given sorted). */
  same(owner: Owner, aoiId: string, perils: readonly Peril[]): Promise<Subscription | undefined>;
  find(owner: Owner, id: string): Promise<Subscription | undefined>;
  list(owner: Owner, page: PageRequest): Promise<Page<Subscription>>;
  /** Undefined when there is none, or it was cancelled: that is final. */
  setStatus(owner: Owner, id: string, status: SubscriptionStatus): Promise<Subscription | undefined>;
  /** Active ones, of all accounts or one, on areas whose bounds overlap. */
  activeOver(
    environment: Environment,
    accountId: string | null,
    bounds: Bbox,
  ): Promise<readonly { subscription: Subscription; aoi: Aoi }[]>;
}

export interface AnomalyStore {
  list(
    owner: Owner,
    filter: { readonly since: Date | undefined; readonly publishedSince: Date | undefined },
    page: PageRequest,
  ): Promise<Page<AnomalyRecord>>;
  find(owner: Owner, id: string): Promise<AnomalyRecord | undefined>;
  /** Serialises the refreshing of one area over processes until the transaction ends. */
  lock(aoiId: string): Promise<void>;
  /** All of an area, by start, without what they rest on. */
  ofArea(aoiId: string): Promise<readonly Omit<AnomalyRecord, 'provenance'>[]>;
  /** Records anomalies; a known id takes the new values. */
  put(anomalies: readonly AnomalyRecord[]): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}

export interface WebhookStore {
  create(webhook: Omit<WebhookRecord, 'createdAt' | 'disabledReason'>, secret: string): Promise<void>;
  find(owner: Owner, id: string): Promise<WebhookRecord | undefined>;
  list(owner: Owner, page: PageRequest): Promise<Page<WebhookRecord>>;
  update(
    owner: Owner,
    id: string,
    patch: {
      readonly url?: string;
      readonly events?: readonly string[];
      readonly status?: 'active' | 'disabled';
    },
  ): Promise<WebhookRecord | undefined>;
  remove(owner: Owner, id: string): Promise<boolean>;
  /**
   * Puts a new secret in front; those before it sign until a time at the latest. False when there is no endpoint.
   * @throws InvalidInput when as many sign as may
   */
  rotate(owner: Owner, id: string, secret: string, until: Date): Promise<boolean>;
}

export interface EventStore {
  /**
   * Records an event and one delivery for each endpoint that asked for its type, in the transaction of its cause.
   * `onlyTo` delivers to that endpoint alone, whatever it asked for.
   */
  emit(
    owner: Owner,
    type: EventType,
    data: Readonly<Record<string, unknown>>,
    onlyTo?: string,
  ): Promise<string>;
  /** The same for many events together. */
  emitAll(events: readonly NewEvent[]): Promise<void>;
}

/** An event that is to be recorded. */
export interface NewEvent {
  readonly owner: Owner;
  readonly type: EventType;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An answer kept for a repeated `Idempotency-Key`. */
export interface KeptAnswer {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: unknown;
}

export interface IdempotencyStore {
  /**
   * Claims a key for this request, waiting for another request that holds it; gives what that one answered.
   * @throws InvalidInput when the key was used for another request.
   */
  claim(owner: Owner, key: string, operation: string, requestHash: Buffer): Promise<KeptAnswer | undefined>;
  keep(owner: Owner, key: string, answer: KeptAnswer): Promise<void>;
}

/** Work for the workers: done once, soon, and again after a crash; queued in the transaction of its cause. */
export interface JobStore {
  /** Brings the anomalies of one area up to date. */
  refreshAnomalies(job: Owner & { readonly aoiId: string }): Promise<void>;
  /** The same, unless it waits to be done already: that will see what this transaction changes. */
  refreshAnomaliesOnce(job: Owner & { readonly aoiId: string }): Promise<void>;
  /** Computes what follows from what was written at a collection's stations, unless that waits to be done already. */
  deriveFeeds(job: { readonly collectionId: string }): Promise<void>;
  /** Looks for changes in one collection. */
  monitorCollection(job: { readonly collectionId: string }): Promise<void>;
}

/** Everything kept in the database. */
export interface Stores {
  readonly accounts: AccountStore;
  readonly keys: KeyStore;
  readonly clients: ClientStore;
  readonly grants: GrantStore;
  readonly signingKeys: SigningKeyStore;
  readonly usage: UsageStore;
  readonly audit: AuditStore;
  readonly aois: AoiStore;
  readonly collections: CollectionStore;
  readonly feeds: FeedStore;
  readonly changes: ChangeStore;
  readonly subscriptions: SubscriptionStore;
  readonly anomalies: AnomalyStore;
  readonly webhooks: WebhookStore;
  readonly events: EventStore;
  readonly eventLog: EventLog;
  readonly deliveries: DeliveryLog;
  readonly watches: WatchStore;
  readonly idempotency: IdempotencyStore;
  readonly jobs: JobStore;
  readonly sandbox: SandboxStore;
  readonly standingFeeds: StandingFeedStore;
}

/** The database: stores outside a transaction, and stores within one that all take effect or none. */
export interface Storage extends Stores {
  /** All or nothing; done again where others waited for it in a circle, so that it must not act on anything else. */
  transaction<T>(work: (stores: Stores) => Promise<T>): Promise<T>;
  /** The same for one owner: the database itself shows and changes no other rows, whatever a query asks for. */
  boundTo(owner: Owner): Storage;
}

import type { AccountStore } from './access/account-store.ts';
import type { AccountUseStore } from './account-use.ts';
import type { AuditStore } from './access/audit-store.ts';
import type { ClientStore, GrantStore, SigningKeyStore } from './access/client-store.ts';
import type { IdempotencyStore } from './access/idempotency-store.ts';
import type { KeyStore } from './access/key-store.ts';
import type { MemberStore } from './access/member-store.ts';
import type { SessionStore } from './access/session-store.ts';
import type { UsageStore } from './access/usage-meter.ts';
import type { AnomalyStore } from './anomalies/anomaly-store.ts';
import type { SubscriptionStore } from './anomalies/subscription-store.ts';
import type { AoiStore } from './areas/aoi-store.ts';
import type { StationFeedStore } from './stations/schedule/station-feed-store.ts';
import type { CatalogueStore } from './catalogues/catalogue-store.ts';
import type { ChangeStore } from './changes/change-store.ts';
import type { UnitTurns } from './changes/search/unit-turns.ts';
import type { PublicationStore } from './changes/publication-store.ts';
import type { EventLog } from './events/event-log.ts';
import type { EventStore } from './events/event-store.ts';
import type { HeldRows } from './held-rows.ts';
import type { IncidentStore } from './incidents/incident-store.ts';
import type { JobStore } from './job-queue.ts';
import type { NodeStore } from './nodes/node-store.ts';
import type { Owner } from './owner.ts';
import type { SandboxStore } from './sandbox/sandbox-store.ts';
import type { CollectionStore } from './series/collection-store.ts';
import type { StationStore } from './series/station-store.ts';
import type { WatchStore } from './watches/watch-store.ts';
import type { DeliveryLog } from './webhooks/delivery-log.ts';
import type { MailStore } from './webhooks/mail-store.ts';
import type { WebhookStore } from './webhooks/webhook-store.ts';

/** The stores of the database, one per subject. */
export interface Stores {
  readonly accounts: AccountStore;
  readonly accountUse: AccountUseStore;
  readonly keys: KeyStore;
  readonly clients: ClientStore;
  readonly grants: GrantStore;
  readonly signingKeys: SigningKeyStore;
  readonly members: MemberStore;
  readonly sessions: SessionStore;
  readonly usage: UsageStore;
  readonly audit: AuditStore;
  readonly aois: AoiStore;
  readonly collections: CollectionStore;
  readonly stations: StationStore;
  readonly changes: ChangeStore;
  readonly publications: PublicationStore;
  readonly subscriptions: SubscriptionStore;
  readonly anomalies: AnomalyStore;
  readonly incidents: IncidentStore;
  readonly webhooks: WebhookStore;
  readonly mail: MailStore;
  readonly events: EventStore;
  readonly eventLog: EventLog;
  readonly deliveries: DeliveryLog;
  readonly watches: WatchStore;
  readonly idempotency: IdempotencyStore;
  readonly heldRows: HeldRows;
  readonly jobs: JobStore;
  /** Which process runs which unit of a search. */
  readonly turns: UnitTurns;
  readonly nodes: NodeStore;
  readonly sandbox: SandboxStore;
  readonly catalogues: CatalogueStore;
  readonly stationFeeds: StationFeedStore;
}

/** A replica of the database, which may answer what only reads. */
export interface ReplicaReads {
  /**
   * Returns the storage of one owner on the replica if it has everything that is committed at this moment; undefined:
   * the primary has to answer.
   */
  upToDate(owner: Owner): Promise<Storage | undefined>;
  /** Tells that the replica failed, so that it is left alone for a while. */
  failed(error: unknown): void;
}

/** The database: its stores outside of a transaction, and transactions over all of them. */
export interface Storage extends Stores {
  /** Runs `work` in one transaction. Retries after a deadlock, so `work` must have no effects outside the stores. */
  transaction<T>(work: (stores: Stores) => Promise<T>): Promise<T>;
  /** Returns a storage restricted to the rows of one owner. The database itself enforces this for every query. */
  boundTo(owner: Owner): Storage;
}

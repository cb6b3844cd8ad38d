import type { Kysely } from 'kysely';
import type { Owner } from '../app/owner.ts';
import type { Storage, Stores } from '../app/storage.ts';
import { CutOff, Unavailable } from '../base/errors.ts';
import { accountUse } from './account-use.ts';
import { accountStore } from './account-store.ts';
import { anomalyStore } from './anomaly-store.ts';
import { aoiStore } from './aoi-store.ts';
import { auditStore } from './audit/audit-store.ts';
import { changeStore } from './change-store.ts';
import { clientStore } from './client-store.ts';
import { collectionStore } from './collection-store.ts';
import type { OpenDatabase } from './connection/database.ts';
import { retryDeadlocks } from './connection/deadlock.ts';
import { heldRows } from './connection/held-rows.ts';
import { deliveryLog } from './delivery-log.ts';
import { eventLog } from './events/event-log.ts';
import { eventStore } from './events/event-store.ts';
import { grantStore, signingKeyStore } from './grant-store.ts';
import { idempotencyStore } from './idempotency-store.ts';
import { incidentStore } from './incidents/incident-store.ts';
import { stationFeedStore } from './feeds/station-feed-store.ts';
import { stationStore } from './station-store.ts';
import type { JobQueue } from './job-queue.ts';
import { searchTurns } from './jobs/search-turns.ts';
import { keyStore } from './key-store.ts';
import { mailStore } from './mail/mail-store.ts';
import { memberStore } from './people/member-store.ts';
import { sessionStore } from './people/session-store.ts';
import { publicationStore } from './publication-store.ts';
import { sandboxStore } from './sandbox-store.ts';
import type { Database } from './schema.ts';
import { catalogueStore } from './feeds/catalogue-store.ts';
import { subscriptionStore } from './subscription-store.ts';
import { nodeStore } from './upkeep/node-store.ts';
import { usageStore } from './usage-store.ts';
import { watchStore } from './watch-store.ts';
import { webhookStore } from './webhook-store.ts';
import type { Sealing } from './sealing/sealing.ts';

/** Opens all stores of one database. They can be used across accounts, in a transaction, or bound to one owner. */
export function openStorage(
  database: Pick<OpenDatabase, 'db' | 'boundTo'>,
  sealing: Sealing,
  jobs: JobQueue,
): Storage {
  const over = (handle: Kysely<Database>): Stores => ({
    accounts: accountStore(handle),
    accountUse: accountUse(handle),
    keys: keyStore(handle),
    clients: clientStore(handle),
    grants: grantStore(handle),
    signingKeys: signingKeyStore(handle, sealing),
    members: memberStore(handle),
    sessions: sessionStore(handle),
    usage: usageStore(handle),
    audit: auditStore(handle, sealing),
    aois: aoiStore(handle),
    collections: collectionStore(handle),
    stations: stationStore(handle),
    changes: changeStore(handle),
    publications: publicationStore(handle),
    subscriptions: subscriptionStore(handle),
    anomalies: anomalyStore(handle),
    incidents: incidentStore(handle),
    webhooks: webhookStore(handle, sealing),
    mail: mailStore(handle, sealing),
    events: eventStore(handle),
    eventLog: eventLog(handle),
    deliveries: deliveryLog(handle),
    watches: watchStore(handle),
    idempotency: idempotencyStore(handle, sealing),
    heldRows: heldRows(handle),
    jobs: jobs.over(handle),
    turns: searchTurns(handle, () => jobs.worker),
    nodes: nodeStore(handle),
    sandbox: sandboxStore(handle),
    catalogues: catalogueStore(handle),
    stationFeeds: stationFeedStore(handle),
  });
  const whole = (db: Kysely<Database>): Storage => ({
    ...over(db),
    transaction: async (work) => {
      const done = await retryDeadlocks(() => {
        let isWhole = false; // after that it may be committed, and a lost connection does not tell whether it was
        const act = async (transaction: Kysely<Database>) => {
          const result = await work(over(transaction));
          isWhole = true;
          return result;
        };
        return db
          .transaction()
          .execute(act)
          .catch((error: unknown) => {
            throw !isWhole && wasCutOff(error) ? new CutOff(error) : error;
          });
      });
      jobs.pulse.nudge();
      return done;
    },
    boundTo,
  });
  // Stores are cached by the owner object, since the same principal object is used for many calls.
  const kept = new WeakMap<Owner, Storage>();
  const boundTo = (owner: Owner): Storage => {
    let storage = kept.get(owner);
    if (storage === undefined) kept.set(owner, (storage = whole(database.boundTo(owner))));
    return storage;
  };
  return whole(database.db);
}

/** Messages of pg, which have no code, for a connection that is lost. */
const LOST = /^Connection terminated|not queryable$/;
/** admin_shutdown, crash_shutdown, idle_in_transaction_session_timeout: PostgreSQL, appendix A. */
const ENDED: ReadonlySet<string | undefined> = new Set(['57P01', '57P02', '25P03']);

/** Whether an error says that the server, or the way to it, ended the connection. */
function wasCutOff(error: unknown): boolean {
  if (!(error instanceof Unavailable)) return false;
  const { code, cause } = error;
  return ENDED.has(code) || (cause instanceof Error && LOST.test(cause.message));
}

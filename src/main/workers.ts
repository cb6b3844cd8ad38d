import { deriveSeries } from '../app/stations/derive-series.ts';
import { silentCollections } from '../app/stations/silent-collections.ts';
import { keepFeeds } from '../app/feed-turns.ts';
import { type OnFetched, takeStationTurn } from '../app/stations/schedule/keep-station-feeds.ts';
import { type OnTurn, takeTurn } from '../app/catalogues/keep-catalogues.ts';
import { refreshAnomalies } from '../app/anomalies/refresh-anomalies.ts';
import { keepIncidents } from '../app/incidents/keep-incidents.ts';
import { helpSearch } from '../app/changes/share-search.ts';
import { monitorCollection } from '../app/changes/monitor-collection.ts';
import { makeKeyExpiryCheck } from '../app/access/warn-of-expiring-keys.ts';
import { keepWatches } from '../app/watches/keep-watches.ts';
import { wokenLoop, type WokenLoop } from '../base/waiting/woken-loop.ts';
import { addressBlocks } from '../net/address-guard.ts';
import { guardedClient } from '../net/guarded-client.ts';
import { deliveryQueue } from '../store/delivery-queue.ts';
import { ENTRIES_WAIT, sealEntries } from '../store/audit/audit-seal.ts';
import { MARKS_WAIT } from '../store/incidents/incident-marks.ts';
import { type Pulse, UNWOKEN_MS } from '../store/pulse/pulse.ts';
import { DIGESTS_WAIT } from '../store/subscription-store.ts';
import { DELIVERIES_WAIT } from '../store/waiting-endpoints.ts';
import { EVENTS_WAIT, orderAllEvents } from '../store/events/event-order.ts';
import { housekeep } from '../store/upkeep/housekeeping.ts';
import { parseSchedule } from '../webhooks/schedule.ts';
import { startDeliveryWorker } from '../webhooks/worker.ts';
import { extraAuthorities } from './authorities.ts';
import { type Installation, STOP_GRACE_MS } from './installation.ts';
import { startMailWorker } from './mail.ts';
import { DELIVERY_TIMEOUT_S } from '../contract/limits.ts';

const EVENT_ORDER_MS = 500; // shortest interval between two looks for committed events without a number
const AUDIT_SEAL_MS = 500; // and for entries of the audit log that are not in its chain
const HOUSEKEEPING_MS = 3_600_000; // interval between deletions of expired data

/**
 * Maximum number of connections per origin: the number of deliveries that the worker sends at once, so that one
 * endpoint does not block others on the same host.
 */
const CONNECTIONS_PER_ORIGIN = 256;

/** Starts the background work: deliveries, jobs, housekeeping. @returns a function that stops it */
export function startWorkers(installation: Installation): () => Promise<void> {
  const { config, deps, database, jobs, log } = installation;
  const client = guardedClient({
    allow: addressBlocks(config.webhookAllow),
    extraCa: extraAuthorities(config),
    timeoutMs: DELIVERY_TIMEOUT_S * 1000,
    connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
  });
  const delivery = startDeliveryWorker({
    queue: deliveryQueue(database.db, installation.sealing),
    post: client.post,
    schedule: parseSchedule(config.webhookSchedule),
    clock: deps.clock,
    userAgent: `Groundwatch/${deps.version}`,
    random: Math.random,
    restMs: UNWOKEN_MS,
    onNoAddress: (endpoint, reason) =>
      log.warn(`Deliveries: the host of ${endpoint} is not called: ${reason}`),
    onError: (error) => log.error(`Deliveries: ${String(error)}`),
  });
  const mail = startMailWorker(installation);
  const deliveries = mail === undefined ? [delivery] : [delivery, mail];
  installation.deliveries = deliveries;
  const working = jobs.work({
    'refresh-anomalies': async (job) => {
      await refreshAnomalies({ ...deps, storage: deps.storage.boundTo(job) }, job, job.aoiId);
      deps.wakeDelivery();
    },
    'monitor-collection': async ({ collectionId }) => {
      const collection = await deps.storage.collections.find(collectionId);
      if (collection !== undefined) await monitorCollection(deps, collection, () => undefined);
      deps.wakeDelivery();
    },
    'help-search': (job) => helpSearch(deps, job),
    'derive-feeds': async ({ collectionId }) => {
      const collection = await deps.storage.stations.find(collectionId);
      if (collection !== undefined) await deriveSeries(deps, collection);
    },
  });
  working.catch((error: unknown) => log.error(`The job queue could not be started: ${String(error)}`));
  const expiringKeys = makeKeyExpiryCheck();
  const warnOfKeys = async (): Promise<void> => {
    for (const { id, endsAt } of await expiringKeys(deps))
      log.warn(`The API key ${id} ends on ${endsAt.toISOString()}: replace it with keys rotate`);
  };
  const keep = (): void => {
    housekeep(database.db, deps.clock.now()).catch((error: unknown) =>
      log.error(`Housekeeping: ${String(error)}`),
    );
    warnOfKeys().catch((error: unknown) => log.error(`API keys: ${String(error)}`));
    warnOfSilence(installation).catch((error: unknown) => log.error(`Silent collections: ${String(error)}`));
  };
  keep();
  const housekeeping = setInterval(keep, HOUSEKEEPING_MS);
  const ordering = startOrdering(installation);
  const sealing = startSealing(installation);
  const stopWatching = keepWatches({ deps, onError: (error) => log.error(`Risk watches: ${String(error)}`) });
  const incidents = keepIncidents(deps, (error) => log.error(`Incidents: ${String(error)}`), UNWOKEN_MS);
  const stopCatalogues = startCatalogues(installation);
  const stopStations = startStationFeeds(installation);
  const pulse = startPulse(installation, { ordering, sealing, incidents });
  return async () => {
    clearInterval(housekeeping);
    await pulse.stop();
    await Promise.all([
      stopWatching(),
      incidents.stop(),
      stopCatalogues(),
      stopStations(),
      ordering.stop(),
      sealing.stop(),
    ]);
    installation.deliveries = [];
    await Promise.all(deliveries.map((worker) => worker.stop(STOP_GRACE_MS)));
    await client.close();
  };
}

/** Starts to ask which work waits, and to wake its workers. */
function startPulse(
  { deps, jobs: { pulse } }: Installation,
  { ordering, sealing, incidents }: Readonly<Record<'ordering' | 'sealing' | 'incidents', WokenLoop>>,
): Pulse {
  pulse.watch({ name: 'deliveries', waits: DELIVERIES_WAIT, look: deps.wakeDelivery });
  pulse.watch({ name: 'events', waits: EVENTS_WAIT, look: ordering.wake });
  pulse.watch({ name: 'entries of the audit log', waits: ENTRIES_WAIT, look: sealing.wake });
  pulse.watch({ name: 'marks of members', waits: MARKS_WAIT, look: incidents.wake });
  pulse.watch({ name: 'digests', waits: DIGESTS_WAIT, look: incidents.wake });
  pulse.start();
  return pulse;
}

/** Starts to search followed catalogues. @returns a function that stops it */
function startCatalogues({ deps, log }: Installation): () => Promise<void> {
  const onTurn: OnTurn = ({ name, environment }, { areas, added, problems, future }) => {
    log.info(`The catalogue ${name} (${environment}) was asked for ${areas} areas; ${added} passes were new`);
    for (const { aoiId, id, reason } of future)
      log.warn(`The catalogue ${name}, ${aoiId}: the scene ${id} was left out: ${reason}`);
    for (const { aoiId, problem } of problems) log.warn(`The catalogue ${name}, ${aoiId}: ${problem}`);
  };
  return keepFeeds(
    (stop) => takeTurn(deps, onTurn, stop),
    (error) => log.error(`Catalogues: ${String(error)}`),
  );
}

/** Starts to fetch followed stations. @returns a function that stops it */
function startStationFeeds({ deps, log }: Installation): () => Promise<void> {
  const onFetched: OnFetched = ({ name, environment }, { stations, added, problems }) => {
    log.info(
      `${stations.length} stations of ${name} (${environment}) were asked for; ${added} values were new`,
    );
    for (const { station, problem } of problems) log.warn(`The station ${station} of ${name}: ${problem}`);
  };
  return keepFeeds(
    (stop) => takeStationTurn(deps, onFetched, stop),
    (error) => log.error(`Stations: ${String(error)}`),
  );
}

/** Starts to add committed entries to the chain of the audit log. Readers do so too before they read. */
function startSealing({ database, log, sealing }: Installation): WokenLoop {
  let told = 0;
  return wokenLoop({
    paceMs: AUDIT_SEAL_MS,
    restMs: UNWOKEN_MS,
    work: async () => {
      const { altered } = await sealEntries(database.db, sealing);
      if (altered > told)
        log.error(`Audit log: ${altered} entries were altered before they were added to the chain`);
      told = altered;
    },
    onError: (error) => log.error(`Audit log: ${String(error)}`),
  });
}

/** Starts to number committed events. Readers number those of their own owner; this limits what is left to them. */
function startOrdering({ database, log }: Installation): WokenLoop {
  return wokenLoop({
    paceMs: EVENT_ORDER_MS,
    restMs: UNWOKEN_MS,
    work: () => orderAllEvents(database.db),
    onError: (error) => log.error(`Order of events: ${String(error)}`),
  });
}

/** Logs each collection of stations from which nothing has come for long. */
async function warnOfSilence({ deps, log }: Installation): Promise<void> {
  for (const { collection, lastMs } of await silentCollections(deps))
    log.warn(
      `The collection ${collection.name} (${collection.metric}, ${collection.environment}) is silent: no observation since ${new Date(lastMs).toISOString()}`,
    );
}

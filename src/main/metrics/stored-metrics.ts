import { Gauge, Registry } from 'prom-client';
import type { Deps } from '../../app/deps.ts';
import { REPORT_MS } from '../../app/nodes/keep-node.ts';
import { silentCollections } from '../../app/stations/silent-collections.ts';
import { within } from '../../base/within.ts';
import { jobCounts } from '../../store/jobs/job-rows.ts';
import type { Database } from '../../store/schema.ts';
import { backlogs, failingCatalogues, freshness } from '../../store/upkeep/backlogs.ts';
import type { Kysely } from 'kysely';

const WAIT_MS = 1_000; // time for which each group of metrics is waited for
/** A node is alive until it has been silent for this long [s]. */
const ALIVE_S = (3 * REPORT_MS) / 1000;

type Parts = Pick<Deps, 'storage' | 'clock'> & { readonly db: Kysely<Database> };
type Labels = Readonly<Record<string, string>>;
/** Adds a gauge with its values. */
type Add = (name: string, help: string, values: readonly (readonly [Labels, number])[]) => void;

/**
 * Metrics of the whole installation, from its database. A group that is not there in time is left out.
 * @param names whether metrics by the name of a collection, catalogue or node are among them
 */
export async function storedMetrics(parts: Parts, names: boolean): Promise<string> {
  const registry = new Registry();
  const add: Add = (name, help, values) => {
    if (values.length === 0) return;
    const labelNames = Object.keys(values[0]?.[0] ?? {});
    const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
    for (const [labels, value] of values) gauge.set(labels, value);
  };
  const groups = names ? [...TOTALS, ...BY_NAME] : TOTALS;
  await Promise.all(
    groups.map((group) => within(WAIT_MS, group(parts, add), undefined).catch(() => undefined)),
  );
  return await registry.metrics();
}

const one = (value: number): readonly (readonly [Labels, number])[] => [[{}, value]];

const TOTALS: readonly ((parts: Parts, add: Add) => Promise<void>)[] = [
  async ({ storage }, add) => {
    const seconds = await storage.deliveries.overdueSeconds();
    const help = 'Time since the oldest webhook delivery that is due should have been tried.';
    add('groundwatch_delivery_overdue_seconds', help, one(seconds));
  },
  async (parts, add) => {
    const silent = await silentCollections(parts);
    add('groundwatch_feeds_silent', 'Live feeds whose next observation is overdue.', one(silent.length));
  },
  async ({ db }, add) => {
    const counts = await jobCounts(db);
    const states = counts.flatMap(({ name: kind, waiting, running, failed }) =>
      Object.entries({ waiting, running, failed }).map(([state, n]) => [{ kind, state }, n] as const),
    );
    add('groundwatch_jobs', 'Background jobs of all workers.', states);
    add(
      'groundwatch_job_overdue_seconds',
      'Time for which the oldest waiting job has been due.',
      counts.map(({ name: kind, overdueS }) => [{ kind }, overdueS]),
    );
  },
  async ({ db }, add) => {
    const { deliveries, eventLagS, failedAreas } = await backlogs(db);
    add('groundwatch_deliveries_pending', 'Deliveries that were not made yet.', one(deliveries));
    const help = 'Age of the oldest event that is not in the list of events yet.';
    add('groundwatch_event_lag_seconds', help, one(eventLagS));
    const failed = 'Areas for which the last search of a followed catalogue failed.';
    add('groundwatch_catalogue_areas_failed', failed, one(failedAreas));
  },
  async ({ storage }, add) => {
    const nodes = (await storage.nodes.list()).filter(({ silentS }) => silentS <= ALIVE_S);
    const roles = (['api', 'worker'] as const).map(
      (role) => [{ role }, nodes.filter(({ roles: its }) => its.includes(role)).length] as const,
    );
    add('groundwatch_nodes', 'Processes that serve and reported lately, by role.', roles);
    const off = Math.max(0, ...nodes.map(({ clockOffsetS }) => Math.abs(clockOffsetS)));
    add('groundwatch_clock_offset_seconds', 'Largest difference between a node and the database.', one(off));
  },
  async ({ storage, clock }, add) => {
    const late = (await storage.catalogues.list()).map(({ nextAt }) => clock.now() - nextAt.getTime());
    const help = 'Time since the catalogue that is due longest should have been asked.';
    add('groundwatch_catalogue_overdue_seconds', help, one(Math.max(0, ...late) / 1000));
  },
  async ({ storage, clock }, add) => {
    const feeds = await storage.stationFeeds.list();
    const failed = feeds.filter(({ problem }) => problem !== null).length;
    const late = feeds.map(({ nextAt }) => clock.now() - nextAt.getTime());
    add('groundwatch_station_feeds_failed', 'Feeds of stations whose last request failed.', one(failed));
    const help = 'Time since the feed of stations that is due longest should have been fetched.';
    add('groundwatch_station_feed_overdue_seconds', help, one(Math.max(0, ...late) / 1000));
  },
];

const BY_NAME: typeof TOTALS = [
  async (parts, add) => {
    const nowMs = parts.clock.now();
    const ages = (await silentCollections(parts)).map(
      ({ collection: { id, name: collection, metric, environment }, lastMs }) =>
        [{ id, collection, metric, environment }, Math.round((nowMs - lastMs) / 1000)] as const,
    );
    add('groundwatch_feed_silent_seconds', 'Time since the last observation of such a feed.', ages);
  },
  async ({ db }, add) => {
    const ages = (await freshness(db)).map(({ ageS, ...labels }) => [labels, Math.round(ageS)] as const);
    add('groundwatch_collection_age_seconds', 'Age of the newest scene of a collection.', ages);
  },
  async ({ db }, add) => {
    const failed = (await failingCatalogues(db)).map(
      ({ failedAreas, ...labels }) => [labels, failedAreas] as const,
    );
    add(
      'groundwatch_catalogue_failed_areas',
      'Areas for which the last search of a catalogue failed.',
      failed,
    );
  },
  async ({ storage }, add) => {
    const nodes = (await storage.nodes.list()).map(
      ({ id, host, roles, version, ...node }) =>
        [{ id, host, roles: roles.join(' '), version }, node] as const,
    );
    const each = (value: (node: (typeof nodes)[number][1]) => number) =>
      nodes.map(([labels, node]) => [labels, value(node)] as const);
    add(
      'groundwatch_node_silent_seconds',
      'Time since a node reported.',
      each(({ silentS }) => silentS),
    );
    const offset = 'Clock of a node minus that of the database.';
    add(
      'groundwatch_node_clock_offset_seconds',
      offset,
      each(({ clockOffsetS }) => clockOffsetS),
    );
  },
];

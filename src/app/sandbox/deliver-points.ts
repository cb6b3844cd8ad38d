import type { SiteSeries } from '../../sandbox/stations.ts';
import type { SandboxDeps } from './deliver-simulated.ts';
import { deriveSeries } from '../stations/derive-series.ts';
import type { PointCollection } from '../series/station-store.ts';
import { newId } from '../../base/ids.ts';
import { metricCard } from '../series/metrics.ts';
import { subscribedAreasNear } from '../stations/queue-anomaly-refresh.ts';
import type { Aoi } from '../areas/aoi-store.ts';

const NAMES: Readonly<Record<SiteSeries['network'], string>> = {
  weather: 'simulated-weather',
  river: 'simulated-river',
  gnss: 'simulated-gnss',
};

/**
 * The last metric that is written for each network of stations: precipitation for weather, vertical displacement for
 * motion. Some series are derived from several metrics of a network.
 */
const LAST_OF_DERIVED: ReadonlySet<string> = new Set(['precipitation', 'displacement_up']);

/**
 * Writes the observations of the region's stations on days `[from, to)`, and computes their derived series.
 * Repeating the call changes nothing.
 * @returns the number of new observations, and the areas with an active subscription within reach of the stations
 */
export async function deliverPoints(
  deps: SandboxDeps,
  from: number,
  to: number,
): Promise<{ readonly observations: number; readonly areas: readonly Aoi[] }> {
  const observed = await deps.region.observations(from, to);
  const areas = new Map<string, Aoi>();
  let observations = 0;
  for (const series of Map.groupBy(observed, ({ network, metric }) => `${network} ${metric}`).values()) {
    const { network, metric } = series[0]!;
    const collection = await collectionOf(deps, NAMES[network], metric, series);
    observations += await deps.storage.stations.write(
      collection.id,
      series.map(({ key, lng, lat, timesMs, values }) => ({ station: { key, lng, lat }, timesMs, values })),
    );
    for (const area of await subscribedAreasNear(deps.storage, collection, series)) areas.set(area.id, area);
    // The other source metrics of the derived series were written before this metric.
    if (LAST_OF_DERIVED.has(metric))
      await deriveSeries(
        deps,
        collection,
        series.map(({ key }) => key),
      );
  }
  return { observations, areas: [...areas.values()] };
}

async function collectionOf(
  { storage }: SandboxDeps,
  name: string,
  metric: string,
  series: readonly SiteSeries[],
): Promise<PointCollection> {
  const members = await storage.stations.byName('sandbox', null, name);
  const there = members.find((member) => member.metric === metric);
  if (there !== undefined) return there;
  const [lngs, lats] = [series.map(({ lng }) => lng), series.map(({ lat }) => lat)];
  const made: PointCollection = {
    id: newId('collection'),
    environment: 'sandbox',
    accountId: null,
    name,
    metric,
    unit: metricCard(metric).unit,
    simulated: true,
    bounds: [Math.min(...lngs), Math.min(...lats), Math.max(...lngs), Math.max(...lats)],
  };
  await storage.stations.create(made);
  return made;
}

import { formatTimestamp } from '../contract/time.ts';
import { PERILS } from '../contract/fields.ts';
import { detectAnomalies, type AnomalyEpisode, type Judgement } from '../monitor/anomaly.ts';
import { metricsForPeril } from '../monitor/metric-perils.ts';
import { areaSeries, type AreaSeries } from './area-series.ts';
import type { Deps } from './deps.ts';
import { newId } from './ids.ts';
import { presentAnomaly } from './present-anomaly.ts';
import type { AnomalyRecord, Aoi, Collection, Owner, Stores } from './stores.ts';

/** Version of what calls an observation anomalous; told in every anomaly's provenance. */
const ANOMALY_MODEL = 'anomaly-v0.1.0';

/** One feed of an area: a collection's mean over it, speaking for a peril. */
interface Feed {
  readonly peril: AnomalyRecord['peril'];
  readonly collection: Collection;
  readonly series: AreaSeries;
}

/**
 * Brings the anomalies of one area up to date with its feeds, those of its active subscriptions, and tells of what
 * began or ended since. The same feeds again change nothing.
 */
export async function refreshAnomalies(
  deps: Pick<Deps, 'storage' | 'cube'>,
  owner: Owner,
  aoiId: string,
): Promise<void> {
  const aoi = await deps.storage.aois.find(owner, aoiId);
  if (aoi === undefined) return;
  const perils = new Set<AnomalyRecord['peril']>();
  for (const { subscription } of await deps.storage.subscriptions.activeOver(
    owner.environment,
    owner.accountId,
    aoi.bounds,
  )) {
    if (subscription.aoiId === aoiId) for (const peril of subscription.perils) perils.add(peril);
  }
  const feeds: Feed[] = [];
  for (const peril of PERILS) {
    if (!perils.has(peril)) continue;
    for (const metric of metricsForPeril(peril)) {
      for (const collection of await deps.storage.collections.covering(owner, metric, aoi.bounds)) {
        const series = await areaSeries(deps.cube, collection, aoi);
        if (series !== undefined) feeds.push({ peril, collection, series });
      }
    }
  }
  const found = detectAnomalies(feeds.map(({ series }) => series));
  await deps.storage.transaction(async (stores) => {
    for (const [f, feed] of feeds.entries()) {
      await stores.collections.lock(feed.collection.id);
      await record(stores, owner, aoi, feed, found[f]!.episodes, found[f]!.judged);
    }
  });
}

async function record(
  stores: Stores,
  owner: Owner,
  aoi: Aoi,
  feed: Feed,
  episodes: readonly AnomalyEpisode[],
  judged: Judgement,
): Promise<void> {
  const known = new Map(
    (await stores.anomalies.ofFeed(aoi.id, feed.collection.id, feed.peril)).map((anomaly) => [
      anomaly.startedAt.getTime(),
      anomaly,
    ]),
  );
  for (const episode of episodes) {
    const startMs = feed.series.timesMs[episode.startIndex]!;
    const before = known.get(startMs);
    known.delete(startMs);
    const anomaly = anomalyOf(before?.id ?? newId('anomaly'), owner, aoi, feed, episode, judged);
    if (before !== undefined && sameAnomaly(before, anomaly)) continue;
    await stores.anomalies.put(anomaly);
    const tell = (type: 'anomaly.detected' | 'anomaly.ended') =>
      stores.events.emit(owner, type, { ...presentAnomaly(anomaly), url: `/v1/anomalies/${anomaly.id}` });
    if (before === undefined) await tell('anomaly.detected');
    if (anomaly.endedAt !== null && (before === undefined || before.endedAt === null))
      await tell('anomaly.ended');
  }
  // What a late or corrected scene took back never was.
  for (const stale of known.values()) await stores.anomalies.remove(stale.id);
}

function anomalyOf(
  id: string,
  owner: Owner,
  aoi: Aoi,
  { peril, collection, series }: Feed,
  episode: AnomalyEpisode,
  judged: Judgement,
): AnomalyRecord {
  const at = (index: number) => new Date(series.timesMs[index]!);
  const last = episode.endIndex ?? series.timesMs.length - 1;
  const observations = [];
  for (let i = episode.startIndex; i <= last; i++) {
    if (Number.isNaN(series.values[i]!)) continue;
    observations.push({
      t: formatTimestamp(series.timesMs[i]!),
      value: series.values[i]!,
      expected: judged.expected[i]!,
      scale: judged.scale[i]!,
      tail_probability: judged.tailProbability[i]!,
    });
  }
  return {
    id,
    accountId: owner.accountId,
    environment: owner.environment,
    aoiId: aoi.id,
    collectionId: collection.id,
    metric: collection.metric,
    peril,
    severity: episode.severity,
    value: episode.value,
    expected: episode.expected,
    residual: episode.residual,
    startedAt: at(episode.startIndex),
    detectedAt: at(episode.peakIndex),
    endedAt: episode.endIndex === null ? null : at(episode.endIndex),
    provenance: {
      collection: { id: collection.id, name: collection.name, metric: collection.metric },
      statistic: 'mean over the pixels of the area, against the seasonal baseline of the observations before',
      pixels: series.pixelCount,
      scenes_before: episode.startIndex,
      scene_at_peak: series.scenes[episode.peakIndex]!.key,
      scene_sha256: series.scenes[episode.peakIndex]!.sha256,
      observations,
      model_version: ANOMALY_MODEL,
    },
  };
}

function sameAnomaly(a: AnomalyRecord, b: AnomalyRecord): boolean {
  return (
    a.severity === b.severity &&
    a.value === b.value &&
    a.expected === b.expected &&
    a.detectedAt.getTime() === b.detectedAt.getTime() &&
    a.endedAt?.getTime() === b.endedAt?.getTime()
  );
}

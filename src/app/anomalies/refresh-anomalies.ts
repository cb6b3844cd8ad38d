import { DAY_MS } from '../../base/time.ts';
import type { Peril } from '../../contract/fields.ts';
import { PAST_DAYS } from '../../contract/limits.ts';
import { episodesAcross, type AnomalyEpisode } from '../../anomaly/anomaly.ts';
import type { Judgement } from '../../anomaly/judgement.ts';
import { anomalyProvenance } from './anomaly-provenance.ts';
import { watchedSeries, type WatchedSeries } from './watched-series.ts';
import type { Deps } from '../deps.ts';
import { metricCard } from '../series/metrics.ts';
import { newId } from '../../base/ids.ts';
import { judgeSeries } from './judge-series.ts';
import { presentAnomaly } from './present-anomaly.ts';
import type { AnomalyRecord } from './anomaly-store.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { NewEvent } from '../events/event-store.ts';
import { sendingOf } from '../events/quiet-hours.ts';
import type { Owner } from '../owner.ts';
import type { Stores } from '../storage.ts';

/** A recorded anomaly, without its provenance. */
type Known = Omit<AnomalyRecord, 'provenance'>;

/**
 * Updates the anomalies of one area from the series that its active subscriptions watch, and emits events for
 * anomalies that began or ended. Refreshing with the same series again changes nothing.
 */
export async function refreshAnomalies(
  deps: Pick<Deps, 'storage' | 'cube'>,
  owner: Owner,
  aoiId: string,
): Promise<void> {
  await deps.storage.transaction(async (stores) => {
    // Locks before the first read, so that each refresh sees all changes made by the previous refresh.
    await stores.anomalies.lock(aoiId);
    const aoi = await stores.aois.find(owner, aoiId);
    // The area was deleted. A subscription created during the deletion is cancelled here, at its first refresh.
    if (aoi === undefined) return stores.aois.cancelDependants(aoiId);
    const perils = await watchedPerils(stores, aoi);
    const watched = await watchedSeries({ storage: stores, cube: deps.cube }, owner, aoi, perils);
    const series = watched.map((one) => one.series);
    const judgements = await judgeSeries(series);
    const found = episodesAcross(series, judgements);
    await record(stores, owner, aoi, watched, found, judgements);
  });
}

/** Perils of the active subscriptions on an area. */
async function watchedPerils(stores: Stores, aoi: Aoi): Promise<ReadonlySet<Peril>> {
  const over = await stores.subscriptions.activeOver(aoi.environment, aoi.accountId, aoi.bounds);
  return new Set(
    over.flatMap(({ subscription }) => (subscription.aoiId === aoi.id ? subscription.perils : [])),
  );
}

async function record(
  stores: Stores,
  owner: Owner,
  aoi: Aoi,
  watched: readonly WatchedSeries[],
  found: readonly (readonly AnomalyEpisode[])[],
  judgements: readonly Judgement[],
): Promise<void> {
  const knownOf = Map.groupBy(await stores.anomalies.ofArea(aoi.id), keyOf);
  const changed: AnomalyRecord[] = [];
  const stale: Known[] = [];
  const events: NewEvent[] = [];
  const subscriptions = await stores.subscriptions.activeOn(owner, [aoi.id]);
  const nowMs = Date.now();
  const past: string[] = [];
  const tell = (type: 'anomaly.detected' | 'anomaly.ended', anomaly: Known, isPast = false): number =>
    events.push({
      owner,
      type,
      data: { ...presentAnomaly(anomaly), url: `/v1/anomalies/${anomaly.id}`, past: isPast },
      ...sendingOf(
        subscriptions.filter(({ perils }) => perils.includes(anomaly.peril)),
        nowMs,
        isPast,
      ),
    });
  for (const [s, one] of watched.entries()) {
    for (const peril of one.perils) {
      const { id: collectionId, metric } = one.collection;
      const key = keyOf({ collectionId, station: one.station, metric, peril });
      const { pairs, left } = matched(one, episodesOf(peril, metric, found[s]!), knownOf.get(key) ?? []);
      stale.push(...left);
      for (const { episode, before } of pairs) {
        const now = recordOf(before?.id ?? newId('anomaly'), owner, aoi, one, peril, episode);
        if (before !== undefined && isSame(before, now)) continue;
        changed.push({ ...now, provenance: anomalyProvenance(one, episode, judgements[s]!) });
        const isPast = before === undefined && wasPast(now, one);
        if (isPast) past.push(now.id);
        if (before === undefined) tell('anomaly.detected', now, isPast);
        if (now.endedAt !== null && (before === undefined || before.endedAt === null))
          tell('anomaly.ended', now, isPast);
      }
    }
  }
  // A late or corrected observation can remove an anomaly. If the anomaly was still active, `anomaly.detected` was sent
  // without `anomaly.ended`: the end is sent now.
  for (const anomaly of stale)
    if (anomaly.endedAt === null) tell('anomaly.ended', { ...anomaly, endedAt: anomaly.detectedAt });
  await stores.anomalies.remove(stale.map(({ id }) => id));
  await stores.anomalies.put(changed, past);
  await stores.events.emitAll(events);
}

/** Whether an anomaly ended long before the newest observation of its series. */
function wasPast({ endedAt }: Known, { series: { timesMs } }: WatchedSeries): boolean {
  return endedAt !== null && timesMs.at(-1)! - endedAt.getTime() > PAST_DAYS * DAY_MS;
}

/** Episodes whose side of the expected value indicates the peril: low water is no flood. */
function episodesOf(
  peril: Peril,
  metric: string,
  episodes: readonly AnomalyEpisode[],
): readonly AnomalyEpisode[] {
  const { above, below } = metricCard(metric).perils;
  return episodes.filter(({ residual }) => (residual > 0 ? above : below).includes(peril));
}

function keyOf({
  collectionId,
  station,
  metric,
  peril,
}: Pick<Known, 'collectionId' | 'station' | 'metric' | 'peril'>): string {
  return `${collectionId} ${station?.id ?? ''} ${metric} ${peril}`;
}

/**
 * Matches the episodes of a series with its recorded anomalies. An episode matches the anomaly with the same start. If
 * there is none, it matches an anomaly that overlaps in time and has the same sign, because a late observation can
 * move the start. `left` contains the anomalies without a match.
 */
function matched(
  { series: { timesMs } }: WatchedSeries,
  episodes: readonly AnomalyEpisode[],
  known: readonly Known[],
): {
  readonly pairs: readonly { episode: AnomalyEpisode; before: Known | undefined }[];
  readonly left: readonly Known[];
} {
  const left = new Map(known.map((anomaly) => [anomaly.startedAt.getTime(), anomaly]));
  const take = (anomaly: Known | undefined): Known | undefined => {
    if (anomaly !== undefined) left.delete(anomaly.startedAt.getTime());
    return anomaly;
  };
  const exact = episodes.map((episode) => take(left.get(timesMs[episode.startIndex]!)));
  const pairs = episodes.map((episode, e) => {
    if (exact[e] !== undefined || left.size === 0) return { episode, before: exact[e] };
    const startMs = timesMs[episode.startIndex]!;
    const endMs = episode.endIndex === null ? Number.POSITIVE_INFINITY : timesMs[episode.endIndex]!;
    const moved = [...left.values()].find(
      ({ startedAt, endedAt, residual }) =>
        residual * episode.residual > 0 &&
        startedAt.getTime() < endMs &&
        (endedAt?.getTime() ?? Number.POSITIVE_INFINITY) > startMs,
    );
    return { episode, before: take(moved) };
  });
  return { pairs, left: [...left.values()] };
}

function recordOf(
  id: string,
  owner: Owner,
  aoi: Aoi,
  { collection, station, series }: WatchedSeries,
  peril: Peril,
  { startIndex, peakIndex, endIndex, severity, value, expected, residual }: AnomalyEpisode,
): Known {
  const at = (index: number) => new Date(series.timesMs[index]!);
  return {
    id,
    accountId: owner.accountId,
    environment: owner.environment,
    aoiId: aoi.id,
    collectionId: collection.id,
    station,
    metric: collection.metric,
    peril,
    severity,
    value,
    expected,
    residual,
    startedAt: at(startIndex),
    detectedAt: at(peakIndex),
    endedAt: endIndex === null ? null : at(endIndex),
  };
}

function isSame(a: Known, b: Known): boolean {
  return (
    a.severity === b.severity &&
    a.value === b.value &&
    a.expected === b.expected &&
    a.startedAt.getTime() === b.startedAt.getTime() &&
    a.detectedAt.getTime() === b.detectedAt.getTime() &&
    a.endedAt?.getTime() === b.endedAt?.getTime()
  );
}

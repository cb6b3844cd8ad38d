import type { Deps } from '../deps.ts';
import { ingestScenes, type SceneIngestReport } from '../imagery/ingest-scenes.ts';
import { monitorCollection } from '../changes/monitor-collection.ts';
import { waitForRoom } from '../job-queue.ts';
import type { SceneSource } from '../imagery/scene-source.ts';
import type { FollowedArea, FollowedCatalogue } from './catalogue-store.ts';
import { DAY_MS } from '../../base/time.ts';

/**
 * Overlap of the periods of two successive searches. A search looks again for scenes that were taken up to this long
 * before the previous search, because scenes may be published late: Landsat scenes reach tier 1 after up to 26 days
 * (USGS, Landsat Collection 1 and 2 tiers), Sentinel-2 scenes within days.
 */
const LATE_MS = 30 * DAY_MS;

export type FollowDeps = Pick<Deps, 'clock' | 'storage' | 'cube' | 'version' | 'wakeDelivery'> & {
  readonly scenes: SceneSource;
};

/** Result of searching a catalogue for its areas. */
export interface FollowReport {
  /** Number of areas for which the catalogue was searched. */
  readonly areas: number;
  /** Number of new passes ingested, for all areas together. */
  readonly added: number;
  /** Areas for which the search failed, with the error message. */
  readonly problems: readonly { readonly aoiId: string; readonly problem: string }[];
  /** Scenes that were skipped because they are dated in the future, each with the reason. */
  readonly future: readonly { readonly aoiId: string; readonly id: string; readonly reason: string }[];
}

/**
 * Returns the name of the collection that receives a catalogue's scenes of one area. The collection is private to the
 * account of the area.
 */
export function catalogueCollectionName(catalogue: Pick<FollowedCatalogue, 'name'>, aoiId: string): string {
  return `${catalogue.name}.${aoiId}`;
}

/**
 * Searches a catalogue for new scenes, one area after the other. Each area has its own collection for its scenes,
 * which is then monitored for changes. When one area fails, the others are still processed. Scenes that
 * were already ingested are not read again, so an interrupted run is continued by the next run.
 * @param catalogue leased by the caller
 * @param which all areas, or only the areas for which the catalogue was never searched
 * @param stop ends the run between two scenes
 */
export async function followCatalogue(
  deps: FollowDeps,
  catalogue: FollowedCatalogue,
  which: 'all' | 'new',
  stop: AbortSignal,
  progress: (done: number, total: number) => void = () => undefined,
): Promise<FollowReport> {
  const { storage, clock } = deps;
  const served = await storage.catalogues.areas(catalogue);
  const areas = which === 'all' ? served : served.filter(({ askedAt }) => askedAt === null);
  const problems: { aoiId: string; problem: string }[] = [];
  const future: { aoiId: string; id: string; reason: string }[] = [];
  let added = 0;
  for (const [i, area] of areas.entries()) {
    if (stop.aborted) break;
    const aoiId = area.aoi.id;
    const now = new Date(clock.now());
    try {
      await waitForRoom(storage.jobs, area.aoi.accountId, { signal: stop });
      const taken = await takeArea(deps, catalogue, area, stop);
      added += taken.added;
      for (const { id, reason, future: isFuture } of taken.left)
        if (isFuture === true) future.push({ aoiId, id, reason });
      // An interrupted search is not recorded, so that the next run repeats it.
      if (!stop.aborted)
        await storage.catalogues.note(catalogue.id, { aoiId, takenTo: now, askedAt: now, problem: null });
    } catch (error) {
      if (stop.aborted) break;
      const problem = error instanceof Error ? error.message : String(error);
      problems.push({ aoiId, problem });
      await storage.catalogues.note(catalogue.id, { aoiId, takenTo: area.takenTo, askedAt: now, problem });
    }
    progress(i + 1, areas.length);
  }
  return { areas: areas.length, added, problems, future };
}

/** Ingests the new scenes of one area and monitors them for changes. */
async function takeArea(
  deps: FollowDeps,
  catalogue: FollowedCatalogue,
  { aoi, takenTo }: FollowedArea,
  stop: AbortSignal,
): Promise<SceneIngestReport> {
  const report = await ingestScenes(
    deps,
    {
      where: catalogue.url,
      collection: catalogueCollectionName(catalogue, aoi.id),
      environment: aoi.environment,
      accountId: aoi.accountId,
      bounds: aoi.bounds,
      fromMs: Math.max(catalogue.startsAt.getTime(), takenTo === null ? 0 : takenTo.getTime() - LATE_MS),
      toMs: Infinity,
      maxCloudShare: catalogue.maxCloudShare,
      metrics: catalogue.metrics ?? undefined,
      isTrueColour: catalogue.isTrueColour,
    },
    () => undefined,
    stop,
  );
  const [first] = report.collections;
  if (first !== undefined && !stop.aborted) {
    await monitorCollection(deps, first, () => undefined, stop);
    deps.wakeDelivery();
  }
  return report;
}

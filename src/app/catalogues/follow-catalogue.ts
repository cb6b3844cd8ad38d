import type { Deps } from '../deps.ts';
import { ingestScenes } from '../imagery/ingest-scenes.ts';
import { monitorCollection } from '../changes/monitor-collection.ts';
import type { SceneSource } from '../imagery/scene-source.ts';
import type { FollowedArea, FollowedCatalogue } from './catalogue-store.ts';
import { DAY_MS } from '../../base/time.ts';

/**
 * Scenes may be published this long after they were taken, and are asked for again until then: 26 days pass until a
 * Landsat scene reaches tier 1 (USGS, Landsat Collection 1 and 2 tiers), and Sentinel-2 comes within days.
 */
const LATE_MS = 30 * DAY_MS;

export type FollowDeps = Pick<Deps, 'clock' | 'storage' | 'cube' | 'version' | 'wakeDelivery'> & {
  readonly scenes: SceneSource;
};

/** What came of asking a catalogue for its areas. */
export interface FollowReport {
  /** Areas asked for. */
  readonly areas: number;
  /** Passes taken in, over all areas. */
  readonly added: number;
  /** Areas that could not be served, and why. */
  readonly problems: readonly { readonly aoiId: string; readonly problem: string }[];
}

/** The collection of a catalogue and an area: private to the account that the area belongs to. */
export function catalogueCollection(catalogue: Pick<FollowedCatalogue, 'name'>, aoiId: string): string {
  return `${catalogue.name}.${aoiId}`;
}

/**
 * Asks a catalogue for what is new in its areas, one after the other: in each the scenes since the last time, and those that
 * may have been published late, go into a collection of the area's own; changes are looked for, and their events sent.
 * An area that fails costs no other. Nothing is read twice, and what an earlier run left off is gone on with.
 * @param catalogue one that the caller holds
 * @param which all areas, or only those that it was never asked for
 * @param stop ends it between two scenes
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
  let added = 0;
  for (const [i, area] of areas.entries()) {
    if (stop.aborted) break;
    const aoiId = area.aoi.id;
    const now = new Date(clock.now());
    try {
      added += await takeArea(deps, catalogue, area, now, stop);
      // What was broken off is asked for again.
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
  return { areas: areas.length, added, problems };
}

/** @returns passes that were not there */
async function takeArea(
  deps: FollowDeps,
  catalogue: FollowedCatalogue,
  { aoi, takenTo }: FollowedArea,
  now: Date,
  stop: AbortSignal,
): Promise<number> {
  const report = await ingestScenes(
    deps,
    {
      where: catalogue.url,
      collection: catalogueCollection(catalogue, aoi.id),
      environment: aoi.environment,
      accountId: aoi.accountId,
      bounds: aoi.bounds,
      fromMs: Math.max(catalogue.startsAt.getTime(), takenTo === null ? 0 : takenTo.getTime() - LATE_MS),
      toMs: now.getTime(),
      maxCloudShare: catalogue.maxCloudShare,
      metrics: catalogue.metrics ?? undefined,
    },
    () => undefined,
    stop,
  );
  const [first] = report.collections;
  if (first !== undefined && !stop.aborted) {
    await monitorCollection(deps, first, () => undefined, stop);
    deps.wakeDelivery();
  }
  return report.added;
}

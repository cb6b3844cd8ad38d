import type { Deps } from './deps.ts';
import { ingestScenes } from './ingest-scenes.ts';
import { monitorCollection } from './monitor-collection.ts';
import type { SceneSource } from './scene-source.ts';
import type { FollowedArea, StandingFeed } from './standing-feed-store.ts';

/**
 * Scenes may be published this long after they were taken, and are asked for again until then: 26 days pass until a
 * Landsat scene reaches tier 1 (USGS, Landsat Collection 1 and 2 tiers), and Sentinel-2 comes within days.
 */
const LATE_MS = 30 * 86_400_000;

export type FollowDeps = Pick<Deps, 'clock' | 'storage' | 'cube' | 'version' | 'wakeDelivery'> & {
  readonly scenes: SceneSource;
};

/** What came of asking a feed for its areas. */
export interface FollowReport {
  /** Areas asked for. */
  readonly areas: number;
  /** Passes taken in, over all areas. */
  readonly added: number;
  /** Areas that could not be served, and why. */
  readonly problems: readonly { readonly aoiId: string; readonly problem: string }[];
}

/** The collection of a feed and an area: private to the account that the area belongs to. */
export function feedCollection(feed: Pick<StandingFeed, 'name'>, aoiId: string): string {
  return `${feed.name}.${aoiId}`;
}

/**
 * Asks a feed for what is new in its areas, one after the other: in each the scenes since the last time, and those that
 * may have been published late, go into a collection of the area's own; changes are looked for, and their events sent.
 * An area that fails costs no other. Nothing is read twice, and what an earlier run left off is gone on with.
 * @param feed one that the caller holds
 * @param which all areas, or only those that it was never asked for
 * @param stop ends it between two scenes
 */
export async function followFeed(
  deps: FollowDeps,
  feed: StandingFeed,
  which: 'all' | 'new',
  stop: AbortSignal,
  progress: (done: number, total: number) => void = () => undefined,
): Promise<FollowReport> {
  const { storage, clock } = deps;
  const served = await storage.standingFeeds.areas(feed);
  const areas = which === 'all' ? served : served.filter(({ askedAt }) => askedAt === null);
  const problems: { aoiId: string; problem: string }[] = [];
  let added = 0;
  for (const [i, area] of areas.entries()) {
    if (stop.aborted) break;
    const aoiId = area.aoi.id;
    const now = new Date(clock.now());
    try {
      added += await takeArea(deps, feed, area, now, stop);
      // What was broken off is asked for again.
      if (!stop.aborted)
        await storage.standingFeeds.note(feed.id, { aoiId, takenTo: now, askedAt: now, problem: null });
    } catch (error) {
      if (stop.aborted) break;
      const problem = error instanceof Error ? error.message : String(error);
      problems.push({ aoiId, problem });
      await storage.standingFeeds.note(feed.id, { aoiId, takenTo: area.takenTo, askedAt: now, problem });
    }
    progress(i + 1, areas.length);
  }
  return { areas: areas.length, added, problems };
}

/** @returns passes that were not there */
async function takeArea(
  deps: FollowDeps,
  feed: StandingFeed,
  { aoi, takenTo }: FollowedArea,
  now: Date,
  stop: AbortSignal,
): Promise<number> {
  const report = await ingestScenes(
    deps,
    {
      where: feed.url,
      collection: feedCollection(feed, aoi.id),
      environment: aoi.environment,
      accountId: aoi.accountId,
      bounds: aoi.bounds,
      fromMs: Math.max(feed.startsAt.getTime(), takenTo === null ? 0 : takenTo.getTime() - LATE_MS),
      toMs: now.getTime(),
      maxCloudShare: feed.maxCloudShare,
      metrics: feed.metrics ?? undefined,
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

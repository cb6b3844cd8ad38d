import { againInMs, takeFeedTurn } from '../feed-turns.ts';
import type { FollowedCatalogue } from './catalogue-store.ts';
import { type FollowDeps, followCatalogue, type FollowReport } from './follow-catalogue.ts';

/** Called after each search of a catalogue. */
export type OnTurn = (catalogue: FollowedCatalogue, report: FollowReport) => void;

/**
 * Leases one catalogue and searches it: for all areas when it is due or named, else for its new areas.
 * @param id catalogue to search, due or not. Default: the catalogue that has been due longest, or that has a new area
 * @returns false when there is no such catalogue, or another process has leased it
 */
export async function takeTurn(
  deps: FollowDeps,
  onTurn: OnTurn,
  stop: AbortSignal,
  id?: string,
  progress?: (done: number, total: number) => void,
): Promise<boolean> {
  return await takeFeedTurn(
    deps.storage.catalogues,
    async (catalogue, end) => {
      const which = catalogue.isDue || id !== undefined ? 'all' : 'new';
      const report = await followCatalogue(deps, catalogue, which, end, progress);
      onTurn(catalogue, report);
      const isWhole = report.problems.length === 0;
      return which === 'new' && isWhole ? undefined : { againInMs: againInMs(catalogue, isWhole) };
    },
    stop,
    id,
  );
}

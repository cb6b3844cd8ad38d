import type { Stores } from '../storage.ts';
import type { Aoi } from './aoi-store.ts';
import { InsideTest } from './inside-test.ts';

/** What a change is shown as through an area. */
interface ShownChange {
  readonly status: string;
  readonly detectedAt: string;
}

/**
 * Shows an area the changes inside it that were published while it was another or was not there, as after a restore of
 * its account. Nobody may publish changes meanwhile.
 * @param shown what is shown already, by the ids of changes
 * @returns the number of changes that are shown now, or are shown otherwise
 */
export async function revealMissedChanges(
  stores: Pick<Stores, 'changes'>,
  aoi: Aoi,
  shown: ReadonlyMap<string, ShownChange>,
): Promise<number> {
  const missed = (await stores.changes.overlapping(aoi, aoi.bounds)).filter(({ id, status, detectedAt }) => {
    const known = shown.get(id);
    return known?.status !== status || known.detectedAt !== detectedAt;
  });
  const inside = await new InsideTest(stores, aoi, aoi.geometry).among(missed);
  if (inside.length > 0) await stores.changes.reveal(inside, aoi);
  return inside.length;
}

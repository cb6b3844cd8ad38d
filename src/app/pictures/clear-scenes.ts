import { DAY_MS } from '../../base/time.ts';
import type { Clearness } from './picture-maker.ts';

/** Scenes that show the place at least this share as clearly as the clearest one are clear enough. */
const NEARLY = 0.95;
/** Days of difference in the time of the year that weigh as much as this many days of age [1]. */
const AGE_WEIGHT = 0.1;
const YEAR_DAYS = 365.25;

/** Dates of a change, by which its pictures are chosen [ms since the Unix epoch]. */
export interface ChangeDates {
  readonly firstAnomalyMs: number;
  /** The day it was confirmed, or flagged while suspected. */
  readonly detectedMs: number;
  readonly recoveredMs: number | null;
}

/**
 * Chooses the scenes that show the ground before and after a change. After: the first clear scene since it was detected
 * and before it recovered, or without one since the first anomaly. Before: of the clear scenes before the first anomaly
 * the one that is nearest to the other in the time of the year, where ten days of age weigh as much as one day of the
 * year.
 * @param scenes in order of time
 */
export function scenesOfChange(
  scenes: readonly Clearness[],
  { firstAnomalyMs, detectedMs, recoveredMs }: ChangeDates,
): { readonly before: Clearness | null; readonly after: Clearness | null } {
  const standing = scenes.filter(({ timeMs }) => timeMs < (recoveredMs ?? Infinity));
  const since = (ms: number) => clearest(standing.filter(({ timeMs }) => timeMs >= ms));
  const after = since(detectedMs)[0] ?? since(firstAnomalyMs)[0] ?? null;
  const likeMs = after?.timeMs ?? firstAnomalyMs;
  const cost = ({ timeMs }: Clearness): number => {
    const days = (likeMs - timeMs) / DAY_MS;
    const overYears = days % YEAR_DAYS;
    return Math.min(overYears, YEAR_DAYS - overYears) + AGE_WEIGHT * days;
  };
  const earlier = clearest(scenes.filter(({ timeMs }) => timeMs < firstAnomalyMs));
  const before = earlier.reduce<Clearness | null>(
    (best, one) => (best === null || cost(one) <= cost(best) ? one : best),
    null,
  );
  return { before, after };
}

/** The scenes that show the place nearly as clearly as the clearest of them; none where no scene shows it. */
function clearest(scenes: readonly Clearness[]): readonly Clearness[] {
  const most = Math.max(0, ...scenes.map(({ clear }) => clear));
  return most === 0 ? [] : scenes.filter(({ clear }) => clear >= NEARLY * most);
}

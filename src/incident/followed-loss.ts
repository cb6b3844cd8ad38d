import { DAY_MS } from '../base/time.ts';
import { type Bbox, bboxesOverlap } from '../geo/bbox.ts';
import { geodesicAreaM2 } from '../geo/area.ts';
import type { Member } from './member.ts';

/** Indices that fall where vegetation is lost. Each is at most 1. */
export const GREENNESS_METRICS: readonly string[] = ['ndvi', 'evi', 'nbr', 'moisture', 'ndmi'];
/** Changes that take vegetation away for good. */
export const LOSS_TYPES: readonly string[] = ['vegetation_loss', 'conversion', 'burn', 'built_up'];
/** How long before the first departure of a loss the mean over an area may leave its range [ms] (our choice). */
export const EARLIEST_MS = 30 * DAY_MS;
/**
 * Largest departure of the mean over an area, as a multiple of the share of its box that was lost (our choice). An index
 * falls by at most about 1 where the ground becomes bare, and the box of an area is up to about twice its ground.
 */
const MOST_PER_SHARE = 2;

/** Whether an anomaly is low greenness in the mean over an area, which a loss of vegetation in it may cause. */
export function isLowGreenness({ departure }: Pick<Member, 'departure'>): boolean {
  return departure !== null;
}

/** Whether a member is a confirmed loss of vegetation. */
export function isLoss({ kind, what }: Pick<Member, 'kind' | 'what'>): boolean {
  return kind === 'change' && LOSS_TYPES.includes(what);
}

/** Least loss that explains an anomaly of low greenness [m2]. */
export function leastLossM2({ departure, ground }: Pick<Member, 'departure' | 'ground'>): number {
  return (Math.abs(departure ?? Infinity) * boxAreaM2(ground)) / MOST_PER_SHARE;
}

/** Whether an anomaly of low greenness began on the ground of a loss while it stood, whatever their sizes. */
function isAfter(anomaly: Member, loss: Member): boolean {
  return (
    loss.fromMs <= anomaly.fromMs + EARLIEST_MS &&
    loss.overMs >= anomaly.fromMs &&
    bboxesOverlap(loss.ground, anomaly.ground)
  );
}

/**
 * The loss from which each anomaly of low greenness follows: of those large enough, the one that began last.
 * @returns pairs of indices into `members`
 */
export function followedLosses(
  members: readonly Member[],
): readonly (readonly [anomaly: number, loss: number])[] {
  const losses = [...members.keys()]
    .filter((i) => isLoss(members[i]!))
    .toSorted((a, b) => members[b]!.areaM2 - members[a]!.areaM2);
  if (losses.length === 0) return [];
  return members.flatMap((anomaly, i) => {
    if (!isLowGreenness(anomaly)) return [];
    const leastM2 = leastLossM2(anomaly);
    let found: number | undefined;
    for (const j of losses) {
      if (members[j]!.areaM2 < leastM2) break;
      if (
        isAfter(anomaly, members[j]!) &&
        (found === undefined || members[j]!.fromMs > members[found]!.fromMs)
      )
        found = j;
    }
    return found === undefined ? [] : [[i, found] as const];
  });
}

/** Those of the members of one incident that say something of their own: no low greenness that follows from its losses. */
export function ownMembers(members: readonly Member[]): readonly Member[] {
  const losses = members.filter(isLoss);
  if (losses.length === 0) return members;
  return members.filter((member) => {
    if (!isLowGreenness(member)) return true;
    const lostM2 = losses
      .filter((loss) => isAfter(member, loss))
      .reduce((sum, { areaM2 }) => sum + areaM2, 0);
    return lostM2 < leastLossM2(member);
  });
}

function boxAreaM2([west, south, east, north]: Bbox): number {
  const right = east < west ? east + 360 : east;
  const ring = [
    [west, south],
    [right, south],
    [right, north],
    [west, north],
    [west, south],
  ] as const;
  return geodesicAreaM2({ type: 'Polygon', coordinates: [ring.map(([lng, lat]) => [lng, lat])] });
}

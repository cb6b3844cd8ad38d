import { DAY_MS } from '../../base/time.ts';
import type { Bbox } from '../../geo/bbox.ts';
import { expandBbox } from '../../geo/nearby.ts';
import {
  EARLIEST_MS,
  isLoss,
  isLowGreenness,
  leastLossM2,
  LOSS_TYPES,
} from '../../incident/followed-loss.ts';
import { farthestLink } from '../../incident/links.ts';
import type { Member } from '../../incident/member.ts';
import { phenomenonOf } from '../../incident/phenomena.ts';
import type { Stores } from '../storage.ts';

/** Times and ground in which a member may be linked to others. */
export function searchAround(member: Member): {
  readonly fromMs: number;
  readonly toMs: number;
  readonly box: Bbox;
} {
  const { gapMs, reachM } = farthestLink(phenomenonOf(member).phenomenon);
  return {
    fromMs: member.fromMs - gapMs - DAY_MS,
    toMs: member.toMs + gapMs + DAY_MS,
    box: expandBbox(member.ground, reachM),
  };
}

/** Where losses of vegetation may explain anomalies among some members, and where anomalies may follow from losses. */
export function lossesAround(members: readonly Member[]): Parameters<Stores['incidents']['followed']>[1] {
  return {
    anomalies: members.filter(isLowGreenness).map((one) => ({
      fromMs: one.fromMs,
      untilMs: one.fromMs + EARLIEST_MS,
      box: one.ground,
      leastM2: leastLossM2(one),
    })),
    losses: members
      .filter(isLoss)
      .map(({ fromMs, overMs, ground: box }) => ({ fromMs: fromMs - EARLIEST_MS, overMs, box })),
    lossTypes: LOSS_TYPES,
  };
}

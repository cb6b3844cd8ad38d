import { PARAMETERS } from '../parameters.ts';
import { eventAt, eventCount, packEvents } from '../pixel/pixel-events.ts';
import type { PixelEvent, PixelEvents } from '../pixel/pixel-events.ts';
import { NONE, type StackSpec } from '../stack.ts';
import { eventComponents } from './event-components.ts';

/**
 * Confirms departures together with their neighbours. Neighbouring pixels that departed plainly within a season are
 * evidence that no single series has (Hamunyela, Verbesselt & Herold 2016, doi:10.1016/j.rse.2016.02.060), so such a
 * group is confirmed when `jointPixels` of its pixels depart plainly, without waiting for the duration that a single
 * pixel needs.
 * @returns the events, of which those in a group are confirmed; a rejected one of a group has recovered, because it was
 *   confirmed before
 */
export function confirmTogether(spec: StackSpec, events: PixelEvents): PixelEvents {
  const all = Array.from({ length: eventCount(events) }, (_, i) => eventAt(events, i));
  const plain = [...all.keys()].filter((i) => plainScene(all[i]!) !== NONE);
  let isChanged = false;
  for (const group of eventComponents(spec, events, plain)) {
    if (group.length < PARAMETERS.jointPixels) continue;
    const scenes = group.map((i) => plainScene(all[i]!)).toSorted((a, b) => a - b);
    const together = scenes[PARAMETERS.jointPixels - 1]!;
    for (const i of group) {
      const event = all[i]!;
      const confirmed = Math.max(together, plainScene(event));
      const isLater = event.confirmed !== NONE && event.confirmed <= confirmed;
      const isOver = event.rejected !== NONE && event.rejected <= confirmed;
      if (isLater || isOver) continue;
      all[i] = { ...event, ...confirmedAt(event, confirmed) };
      isChanged = true;
    }
  }
  return isChanged ? packEvents(all, events.metrics) : events;
}

/** Scene since which a departure is plain or confirmed; -1 if neither. */
function plainScene({ sure, confirmed }: PixelEvent): number {
  return sure === NONE ? confirmed : sure;
}

function confirmedAt(
  event: PixelEvent,
  confirmed: number,
): Pick<PixelEvent, 'status' | 'confirmed' | 'recovered' | 'rejected'> {
  const { status, recovered, rejected } = event;
  if (status !== 'rejected')
    return { status: status === 'suspected' ? 'confirmed' : status, confirmed, recovered, rejected };
  return { status: 'recovered', confirmed, recovered: rejected, rejected: NONE };
}

import { PARAMETERS } from '../parameters.ts';
import { eventAt, eventCount, isNote, packEvents } from '../pixel/pixel-events.ts';
import type { PixelEvent, PixelEvents } from '../pixel/pixel-events.ts';
import { NONE, type StackSpec } from '../stack.ts';
import { joinNotes } from './early-notes.ts';
import { isEarlier } from './event-components.ts';
import { Clusters } from './neighbour-clusters.ts';

/**
 * Confirms departures together with their neighbours. Neighbouring pixels that departed plainly within a season are
 * evidence that no single series has (Hamunyela, Verbesselt & Herold 2016, doi:10.1016/j.rse.2016.02.060), so such a
 * group is confirmed when `jointPixels` of its pixels depart plainly, without waiting for the duration that a single
 * pixel needs; or sooner, when `evidentPixels` of them depart plainly or evidently.
 * @returns the events, of which those in a group are confirmed; a rejected one of a group has recovered, because it was
 *   confirmed before. Notes are changes or parts of changes, or absent
 */
export function confirmTogether(spec: StackSpec, events: PixelEvents): PixelEvents {
  const all = Array.from({ length: eventCount(events) }, (_, i) => eventAt(events, i));
  const plain = [...all.keys()].filter((i) => firstScene(all[i]!) !== NONE);
  let isChanged = all.some(isNote);
  for (const [i, scene] of confirmations(spec, all, plain)) {
    const event = all[i]!;
    if (event.confirmed !== NONE && event.confirmed <= scene) continue;
    all[i] = { ...event, ...confirmedAt(event, scene) };
    isChanged = true;
  }
  return isChanged ? packEvents(joinNotes(spec, all), events.metrics) : events;
}

/**
 * Returns the scene of the joint confirmation of each of the given events. It depends only on what was known in that
 * scene: later neighbours do not connect earlier ones, and events that were rejected before do not count.
 */
function confirmations(
  spec: StackSpec,
  all: readonly PixelEvent[],
  events: readonly number[],
): Map<number, number> {
  const scenes = new Map<number, number>();
  const clusters = new Clusters(spec, all);
  for (const { i, scene } of steps(all, events)) {
    const cluster = clusters.add(i, scene);
    const plain = cluster.waiting.filter((w) => isPlainAt(all[w]!, scene));
    cluster.isConfirmed ||= pixelsOf(all, plain) >= PARAMETERS.jointPixels;
    cluster.isConfirmed ||= pixelsOf(all, cluster.waiting) >= PARAMETERS.evidentPixels;
    if (!cluster.isConfirmed) continue;
    for (const w of cluster.waiting) if (!scenes.has(w)) scenes.set(w, scene);
    cluster.waiting = [];
  }
  return scenes;
}

/** The scenes in which each event became evident and plain, in order of time, then of the flag. */
function steps(all: readonly PixelEvent[], events: readonly number[]): { i: number; scene: number }[] {
  return events
    .flatMap((i) =>
      [...new Set([firstScene(all[i]!), plainScene(all[i]!)])]
        .filter((scene) => scene !== NONE)
        .map((scene) => ({ i, scene })),
    )
    .toSorted(
      (a, b) =>
        a.scene - b.scene ||
        (isEarlier(all[a.i]!, all[b.i]!) ? -1 : isEarlier(all[b.i]!, all[a.i]!) ? 1 : a.i - b.i),
    );
}

function pixelsOf(all: readonly PixelEvent[], events: readonly number[]): number {
  return new Set(events.map((i) => all[i]!.pixel)).size;
}

function isPlainAt(event: PixelEvent, scene: number): boolean {
  const since = plainScene(event);
  return since !== NONE && since <= scene;
}

/** Scene since which a departure is evident, plain or confirmed; -1 if none. */
function firstScene(event: PixelEvent): number {
  const scene = plainScene(event);
  if (event.evident === NONE) return scene;
  return scene === NONE ? event.evident : Math.min(scene, event.evident);
}

/** Scene since which a departure is plain or confirmed; -1 if neither. */
function plainScene({ sure, confirmed }: PixelEvent): number {
  return sure === NONE ? confirmed : sure;
}

function confirmedAt(
  event: PixelEvent,
  confirmed: number,
): Pick<PixelEvent, 'status' | 'confirmed' | 'recovered' | 'rejected'> {
  const { status, recovered, rejected, early } = event;
  if (status !== 'rejected' || early)
    return { status: status === 'suspected' ? 'confirmed' : status, confirmed, recovered, rejected };
  return { status: 'recovered', confirmed, recovered: rejected, rejected: NONE };
}

import { PARAMETERS } from '../parameters.ts';
import { eventAt, eventCount, isNote, packEvents } from '../pixel/pixel-events.ts';
import type { PixelEvent, PixelEvents } from '../pixel/pixel-events.ts';
import { NONE, type StackSpec } from '../stack.ts';
import { joinNotes } from './early-notes.ts';
import { eventComponents, neighbours } from './event-components.ts';

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
  for (const group of eventComponents(spec, events, plain)) {
    if (group.length < PARAMETERS.jointPixels) continue;
    for (const [i, scene] of confirmations(spec, all, group)) {
      const event = all[i]!;
      if (event.confirmed !== NONE && event.confirmed <= scene) continue;
      all[i] = { ...event, ...confirmedAt(event, scene) };
      isChanged = true;
    }
  }
  return isChanged ? packEvents(joinNotes(spec, all), events.metrics) : events;
}

/** Neighbouring pixels that are plain or evident up to a scene. */
interface Cluster {
  readonly pixels: Set<number>;
  /** Indices of the events that have not been confirmed together. */
  waiting: readonly number[];
  isConfirmed: boolean;
}

/**
 * Returns the scene of the joint confirmation of each event of a group. It depends only on what was known in that
 * scene: later neighbours do not connect earlier ones, and events that were rejected before do not count.
 */
function confirmations(
  spec: StackSpec,
  all: readonly PixelEvent[],
  group: readonly number[],
): Map<number, number> {
  const scenes = new Map<number, number>();
  const clusters = new Map<number, Cluster>();
  for (const { i, scene } of steps(all, group)) {
    const { pixel } = all[i]!;
    const around = new Set([pixel, ...neighbours(pixel, spec)].flatMap((near) => clusters.get(near) ?? []));
    const alone: Cluster = { pixels: new Set(), waiting: [], isConfirmed: false };
    const [cluster = alone, ...others] = [...around].toSorted((a, b) => b.pixels.size - a.pixels.size);
    const added = [pixel, ...others.flatMap(({ pixels }) => [...pixels])];
    for (const each of added) {
      cluster.pixels.add(each);
      clusters.set(each, cluster);
    }
    const candidates = new Set([i, ...cluster.waiting, ...others.flatMap(({ waiting }) => waiting)]);
    cluster.waiting = [...candidates].filter((w) => isWaiting(spec, all[w]!, scene));
    cluster.isConfirmed ||= others.some(({ isConfirmed }) => isConfirmed);
    const plain = cluster.waiting.filter((w) => isPlainAt(all[w]!, scene));
    cluster.isConfirmed ||= pixelsOf(all, plain) >= PARAMETERS.jointPixels;
    cluster.isConfirmed ||= pixelsOf(all, cluster.waiting) >= PARAMETERS.evidentPixels;
    if (!cluster.isConfirmed) continue;
    for (const w of cluster.waiting) if (!scenes.has(w)) scenes.set(w, scene);
    cluster.waiting = [];
  }
  return scenes;
}

/** The scenes in which each event became evident and plain, in order of time. */
function steps(all: readonly PixelEvent[], group: readonly number[]): { i: number; scene: number }[] {
  return group
    .flatMap((i) =>
      [...new Set([firstScene(all[i]!), plainScene(all[i]!)])]
        .filter((scene) => scene !== NONE)
        .map((scene) => ({ i, scene })),
    )
    .toSorted((a, b) => a.scene - b.scene || a.i - b.i);
}

/** Whether a departure is evidence in a scene: it was not rejected before, or its note is not old. */
function isWaiting({ timesMs }: StackSpec, event: PixelEvent, scene: number): boolean {
  if (isNote(event)) return timesMs[scene]! - timesMs[event.evident]! <= PARAMETERS.maxStepMs;
  return event.rejected === NONE || event.rejected > scene;
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

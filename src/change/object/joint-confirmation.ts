import { PARAMETERS } from '../parameters.ts';
import {
  eventAt,
  eventCount,
  fieldAt,
  isNote,
  isPlainNote,
  replaceEvents,
  scenesAt,
} from '../pixel/pixel-events.ts';
import type { EventScenes, PixelEvent, PixelEvents } from '../pixel/pixel-events.ts';
import { NONE, type StackSpec } from '../stack.ts';
import { joinNotes } from './early-notes.ts';
import { eventsOf, isEarlier } from './event-components.ts';
import { Clusters } from './neighbour-clusters.ts';
import { FALLEN, joinNeighbourNotes, RISEN, SEASONAL } from './neighbour-notes.ts';

/**
 * Confirms departures together with their neighbours. Neighbouring pixels that departed plainly within a season are
 * evidence that no single series has (Hamunyela, Verbesselt & Herold 2016, doi:10.1016/j.rse.2016.02.060), so such a
 * group is confirmed when `jointPixels` of its pixels depart plainly, without waiting for the duration that a single
 * pixel needs; or sooner, when `evidentPixels` of them depart plainly or evidently.
 * @returns the events, of which those in a group are confirmed; a rejected one of a group has recovered, because it was
 *   confirmed before. Notes are changes or parts of changes, or absent
 */
export function confirmTogether(spec: StackSpec, events: PixelEvents): PixelEvents {
  const evident = evidentEvents(events);
  const noted = new Set([...evident.values()].filter(isNote).map(({ pixel }) => pixel));
  for (const [i, event] of evident) if (isOfNeighbours(event)) evident.delete(i);
  const scenes = confirmations(spec, evident);
  for (const [i, scene] of scenes) {
    const { confirmed } = evident.get(i)!;
    if (confirmed !== NONE && confirmed <= scene) scenes.delete(i);
  }
  const confirmed = (i: number): PixelEvent => {
    const [event, scene] = [eventAt(events, i), scenes.get(i)];
    return scene === undefined ? event : { ...event, ...confirmedAt(event, scene) };
  };
  const beside = [...noted].flatMap((pixel) => [...eventsOf(events, pixel)]);
  const fallen = joinNeighbourNotes(spec, beside.map(confirmed), FALLEN);
  const plain = joinNeighbourNotes(spec, fallen, RISEN);
  // A large fall may be the beginning of a plain one.
  const joined = joinNeighbourNotes(spec, joinNotes(spec, plain), SEASONAL);
  const changed = new Map(beside.map((i, k) => [i, joined[k]!]));
  if (scenes.size + changed.size === 0) return events;
  return replaceEvents(events, (i) => {
    if (changed.has(i)) return changed.get(i)!;
    return scenes.has(i) ? confirmed(i) : undefined;
  });
}

/** Whether an event is a note that single neighbours confirm, or began with one. These confirm no other departures. */
function isOfNeighbours(event: EventScenes): boolean {
  return event.early && (event.seasonal || event.evident === NONE || isPlainNote(event));
}

/**
 * The events that are evident, plain or confirmed in a scene, by their indices. The others decide nothing here. Without
 * figures, because they may be millions.
 */
function evidentEvents(events: PixelEvents): Map<number, EventScenes> {
  const evident = new Map<number, EventScenes>();
  for (let i = 0; i < eventCount(events); i++)
    if ((['evident', 'sure', 'confirmed'] as const).some((state) => fieldAt(events, i, state) !== NONE))
      evident.set(i, scenesAt(events, i));
  return evident;
}

/**
 * Returns the scene of the joint confirmation of each of the given events. It depends only on what was known in that
 * scene: later neighbours do not connect earlier ones, and events that were rejected before do not count.
 */
function confirmations(spec: StackSpec, events: ReadonlyMap<number, EventScenes>): Map<number, number> {
  const scenes = new Map<number, number>();
  const clusters = new Clusters(spec, events);
  for (const { i, scene } of steps(events)) {
    const cluster = clusters.add(i, scene);
    const waiting = cluster.waiting.map((w) => events.get(w)!);
    const plain = waiting.filter((event) => isPlainAt(event, scene));
    cluster.isConfirmed ||= pixelsOf(plain) >= PARAMETERS.jointPixels;
    cluster.isConfirmed ||= pixelsOf(waiting) >= PARAMETERS.evidentPixels;
    if (!cluster.isConfirmed) continue;
    for (const w of cluster.waiting) if (!scenes.has(w)) scenes.set(w, scene);
    cluster.waiting = [];
  }
  return scenes;
}

/** The scenes in which each event became evident and plain, in order of time, then of the flag. */
function steps(
  events: ReadonlyMap<number, EventScenes>,
): readonly { readonly i: number; readonly event: EventScenes; readonly scene: number }[] {
  const found: { i: number; event: EventScenes; scene: number }[] = [];
  for (const [i, event] of events) {
    const [first, plain] = [firstScene(event), plainScene(event)];
    if (first !== NONE) found.push({ i, event, scene: first });
    if (plain !== NONE && plain !== first) found.push({ i, event, scene: plain });
  }
  return found.sort(
    (a, b) =>
      a.scene - b.scene || (isEarlier(a.event, b.event) ? -1 : isEarlier(b.event, a.event) ? 1 : a.i - b.i),
  );
}

function pixelsOf(events: readonly EventScenes[]): number {
  return new Set(events.map(({ pixel }) => pixel)).size;
}

function isPlainAt(event: EventScenes, scene: number): boolean {
  const since = plainScene(event);
  return since !== NONE && since <= scene;
}

/** Scene since which a departure is evident, plain or confirmed; -1 if none. */
function firstScene(event: EventScenes): number {
  const scene = plainScene(event);
  if (event.evident === NONE) return scene;
  return scene === NONE ? event.evident : Math.min(scene, event.evident);
}

/** Scene since which a departure is plain or confirmed; -1 if neither. */
function plainScene({ sure, confirmed }: EventScenes): number {
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

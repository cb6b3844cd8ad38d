import { PARAMETERS } from '../parameters.ts';
import { eventAt, eventCount, fieldAt, isNote, replaceEvents } from '../pixel/pixel-events.ts';
import type { PixelEvent, PixelEvents } from '../pixel/pixel-events.ts';
import { NONE, type StackSpec } from '../stack.ts';
import { joinNotes } from './early-notes.ts';
import { eventsOf, isEarlier } from './event-components.ts';
import { Clusters } from './neighbour-clusters.ts';
import { joinSeasonalNotes } from './seasonality-notes.ts';

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
  const changed = new Map<number, PixelEvent | null>();
  const others = new Map([...evident].filter(([, event]) => !isSeasonality(event)));
  for (const [i, scene] of confirmations(spec, others)) {
    const event = others.get(i)!;
    if (event.confirmed !== NONE && event.confirmed <= scene) continue;
    changed.set(i, { ...event, ...confirmedAt(event, scene) });
  }
  const noted = new Set([...evident.values()].filter(isNote).map(({ pixel }) => pixel));
  const beside = [...noted].flatMap((pixel) => [...eventsOf(events, pixel)]);
  const early = joinNotes(
    spec,
    beside.map((i) => changed.get(i) ?? eventAt(events, i)),
  );
  const joined = joinSeasonalNotes(spec, early);
  for (const [k, i] of beside.entries()) changed.set(i, joined[k]!);
  return changed.size > 0 ? replaceEvents(events, changed) : events;
}

/** Whether an event is a note of a change of seasonality or began with one. These do not confirm other departures. */
function isSeasonality({ early, seasonal }: PixelEvent): boolean {
  return early && seasonal;
}

/** The events that are evident, plain or confirmed in a scene, by their indices. The others decide nothing here. */
function evidentEvents(events: PixelEvents): Map<number, PixelEvent> {
  const evident = new Map<number, PixelEvent>();
  for (let i = 0; i < eventCount(events); i++)
    if ((['evident', 'sure', 'confirmed'] as const).some((state) => fieldAt(events, i, state) !== NONE))
      evident.set(i, eventAt(events, i));
  return evident;
}

/**
 * Returns the scene of the joint confirmation of each of the given events. It depends only on what was known in that
 * scene: later neighbours do not connect earlier ones, and events that were rejected before do not count.
 */
function confirmations(spec: StackSpec, events: ReadonlyMap<number, PixelEvent>): Map<number, number> {
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
function steps(events: ReadonlyMap<number, PixelEvent>): { i: number; event: PixelEvent; scene: number }[] {
  return [...events]
    .flatMap(([i, event]) =>
      [...new Set([firstScene(event), plainScene(event)])]
        .filter((scene) => scene !== NONE)
        .map((scene) => ({ i, event, scene })),
    )
    .toSorted(
      (a, b) =>
        a.scene - b.scene || (isEarlier(a.event, b.event) ? -1 : isEarlier(b.event, a.event) ? 1 : a.i - b.i),
    );
}

function pixelsOf(events: readonly PixelEvent[]): number {
  return new Set(events.map(({ pixel }) => pixel)).size;
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

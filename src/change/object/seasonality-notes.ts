import { PARAMETERS } from '../parameters.ts';
import { isNote, isSeasonalNote, type PixelEvent } from '../pixel/pixel-events.ts';
import { NONE, type StackSpec } from '../stack.ts';
import { neighbours, withinSeason } from './event-components.ts';

/** A note of a change of seasonality. */
interface SeasonalNote {
  /** Index of the event. */
  readonly i: number;
  readonly event: PixelEvent;
  /** Scene in which it was over; infinity if it was not. */
  readonly over: number;
  /** Notes of the eight neighbours that began within a season of it. */
  readonly near: readonly SeasonalNote[];
}

/**
 * Decides what became of notes that pixels depart from like pixels on both sides. Such a note is confirmed in the first
 * scene in which it and enough of the eight neighbours have notes that are not over and began within a season of it. It is
 * then part of the change of its pixel that has been confirmed before, the beginning of a departure that is confirmed
 * later, or a change by itself. Other notes are left out.
 * @param events of each pixel with such notes all events, in order of time; null where one was left out before
 * @returns for each event what it has become; null where it is left out
 */
export function joinSeasonalNotes(
  spec: StackSpec,
  events: readonly (PixelEvent | null)[],
): (PixelEvent | null)[] {
  const joined = events.map((event) => (event === null || isSeasonalNote(event) ? null : event));
  const known = [...events.keys()].filter((i) => events[i] !== null);
  const byPixel = Map.groupBy(known, (i) => events[i]!.pixel);
  const confirmed = notesOf(spec, events, byPixel)
    .map((note) => ({ note, scene: confirmationOf(note) }))
    .filter(({ scene }) => scene !== NONE)
    .toSorted((a, b) => a.scene - b.scene || a.note.i - b.note.i);
  const directions = new Map<SeasonalNote, -1 | 1>();
  for (const { note, scene } of confirmed) {
    directions.set(note, directionOf(note, scene, directions));
    settle(spec, joined, byPixel.get(note.event.pixel)!, note, scene, directions.get(note)!);
  }
  return joined;
}

function notesOf(
  spec: StackSpec,
  events: readonly (PixelEvent | null)[],
  byPixel: ReadonlyMap<number, readonly number[]>,
): readonly SeasonalNote[] {
  const ours = [...byPixel.values()].flat().filter((i) => isSeasonalNote(events[i]!));
  const isEnd = (i: number): boolean => events[i]!.evident === NONE;
  const made = ours.filter((i) => !isEnd(i));
  const notes = made.map((i) => {
    const event = events[i]!;
    const end = byPixel
      .get(event.pixel)!
      .find((k) => isSeasonalNote(events[k]!) && isEnd(k) && events[k]!.flagged === event.flagged);
    const over = end === undefined ? Number.POSITIVE_INFINITY : events[end]!.rejected;
    return { i, event, over, near: [] as SeasonalNote[] };
  });
  const its = Map.groupBy(notes, ({ event }) => event.pixel);
  for (const note of notes)
    for (const pixel of neighbours(note.event.pixel, spec))
      for (const other of its.get(pixel) ?? [])
        if (withinSeason(spec, note.event, other.event)) note.near.push(other);
  return notes;
}

/** Neighbours' notes that show a change in a scene. */
function shownIn(note: SeasonalNote, scene: number): readonly SeasonalNote[] {
  return note.near.filter(({ event, over }) => event.evident <= scene && over > scene);
}

/** Scene in which neighbours confirm a note; -1 if they do not. */
function confirmationOf(note: SeasonalNote): number {
  const own = note.event.evident;
  const scenes = note.near.map(({ event }) => Math.max(own, event.evident)).toSorted((a, b) => a - b);
  for (const scene of scenes) {
    if (scene >= note.over) break;
    const pixels = new Set(shownIn(note, scene).map(({ event }) => event.pixel));
    if (pixels.size >= PARAMETERS.seasonalNeighbours) return scene;
  }
  return NONE;
}

/**
 * Direction of a note that was confirmed in a scene: that of the neighbours that were confirmed before, or of most notes
 * there. A pixel departs in both directions, and a field may have been perennial and seasonal cover; it is one change.
 */
function directionOf(
  note: SeasonalNote,
  scene: number,
  directions: ReadonlyMap<SeasonalNote, -1 | 1>,
): -1 | 1 {
  const shown = shownIn(note, scene);
  const before = shown.flatMap((other) => directions.get(other) ?? []);
  const all = before.length > 0 ? before : [note, ...shown].map(({ event }) => event.direction);
  const sum = all.reduce<number>((total, direction) => total + direction, 0);
  return sum === 0 ? note.event.direction : sum < 0 ? -1 : 1;
}

/** Puts a note that was confirmed in a scene into the events of its pixel, whose indices are `its`. */
function settle(
  { timesMs }: StackSpec,
  joined: (PixelEvent | null)[],
  its: readonly number[],
  { i, event: note, over }: SeasonalNote,
  confirmed: number,
  direction: -1 | 1,
): void {
  const yearMs = PARAMETERS.recoveryWindowMs;
  const onsetMs = timesMs[note.firstAnomaly]!;
  const isBefore = (event: PixelEvent): boolean => event.confirmed !== NONE && event.confirmed <= confirmed;
  /** Whether a change has been told before. */
  const isTold = (event: PixelEvent): boolean => {
    if (!isBefore(event) || (event.recovered !== NONE && event.recovered <= note.evident)) return false;
    return event.early || onsetMs - timesMs[event.confirmed]! < yearMs;
  };
  const own = its.filter((k) => joined[k] !== null && !isNote(joined[k]!));
  if (own.some((k) => isTold(joined[k]!))) return;
  const next = own.find((k) => {
    const event = joined[k]!;
    if (event.status === 'rejected' || isBefore(event)) return false;
    return timesMs[event.firstAnomaly]! - onsetMs < yearMs;
  });
  if (next !== undefined) {
    joined[next] = begun(timesMs, note, joined[next]!, confirmed, direction);
    return;
  }
  const recovered = over === Number.POSITIVE_INFINITY ? NONE : over;
  const untilMs =
    recovered === NONE
      ? Math.min(timesMs.at(-1)!, Math.max(timesMs[confirmed]!, timesMs[note.evident]! + yearMs))
      : timesMs[recovered]!;
  joined[i] = {
    ...note,
    direction,
    status: recovered === NONE ? 'confirmed' : 'recovered',
    confirmed,
    recovered,
    rejected: NONE,
    evident: NONE,
    lastedMs: untilMs - onsetMs,
  };
}

/** A departure that begins with its note. */
function begun(
  timesMs: Float64Array,
  { firstAnomaly, flagged }: PixelEvent,
  event: PixelEvent,
  confirmed: number,
  direction: -1 | 1,
): PixelEvent {
  const sinceMs = timesMs[event.firstAnomaly]! - timesMs[firstAnomaly]!;
  return {
    ...event,
    firstAnomaly,
    flagged,
    confirmed,
    direction,
    early: true,
    seasonal: true,
    status: event.status === 'suspected' ? 'confirmed' : event.status,
    lastedMs: Math.max(timesMs[confirmed]! - timesMs[firstAnomaly]!, sinceMs + event.lastedMs),
  };
}

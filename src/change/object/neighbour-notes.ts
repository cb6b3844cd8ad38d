import { PARAMETERS } from '../parameters.ts';
import { isNote, isPlainNote, isSeasonalNote, type PixelEvent } from '../pixel/pixel-events.ts';
import { NONE, type StackSpec } from '../stack.ts';
import { neighbours } from './event-components.ts';

/** A kind of notes that neighbours confirm. */
interface Kind {
  /** Whether an event is such a note, or the end of one. */
  readonly has: (event: PixelEvent) => boolean;
  /** Whether it is a change of seasonality, which departs in both directions. */
  readonly seasonal: boolean;
  /** Least number of the eight neighbours with such notes. */
  readonly neighbours: number;
  /** Maximum time between the first anomalies of notes of one change [ms]. */
  readonly withinMs: number;
}

/** Notes that a pixel departs from like pixels on both sides. */
export const SEASONAL: Kind = {
  has: isSeasonalNote,
  seasonal: true,
  neighbours: PARAMETERS.seasonalNeighbours,
  withinMs: PARAMETERS.joinWithinMs,
};
/** Notes that a fall is plain beside like pixels. */
export const FALLEN: Kind = plainKind(-1, PARAMETERS.noteJoinMs);
/** Notes that a rise is plain beside like pixels. */
export const RISEN: Kind = plainKind(1, PARAMETERS.joinWithinMs);

/** Notes of plain departures in one direction. */
function plainKind(direction: -1 | 1, withinMs: number): Kind {
  const has = (event: PixelEvent): boolean => isPlainNote(event) && event.direction === direction;
  return { has, seasonal: false, neighbours: PARAMETERS.noteNeighbours, withinMs };
}

/** A note that neighbours may confirm. */
interface NeighbourNote {
  /** Index of the event. */
  readonly i: number;
  readonly event: PixelEvent;
  /** Scene in which it was over; infinity if it was not. */
  readonly over: number;
  /** Scene in which a year had shown that the pixel still departs; infinity if none had. */
  readonly stood: number;
  /** Notes of the eight neighbours that began soon before or after it. */
  readonly near: readonly NeighbourNote[];
}

/**
 * Decides what became of notes of one kind that pixels depart from like pixels. Such a note is confirmed in the first
 * scene in which it and enough of the eight neighbours have notes that are not over and began within `withinMs` of it. It is
 * then part of the change of its pixel that has been confirmed before, the beginning of a departure that is confirmed
 * later, or a change by itself. Other notes are left out.
 * @param events of each pixel with such notes all events, in order of time; null where one was left out before
 * @returns for each event what it has become; null where it is left out
 */
export function joinNeighbourNotes(
  spec: StackSpec,
  events: readonly (PixelEvent | null)[],
  kind: Kind,
): (PixelEvent | null)[] {
  const joined = events.map((event) => (event === null || kind.has(event) ? null : event));
  const known = [...events.keys()].filter((i) => events[i] !== null);
  const byPixel = Map.groupBy(known, (i) => events[i]!.pixel);
  const confirmed = notesOf(spec, events, byPixel, kind)
    .map((note) => ({ note, scene: confirmationOf(note, kind.neighbours) }))
    .filter(({ scene }) => scene !== NONE)
    .toSorted((a, b) => a.scene - b.scene || a.note.i - b.note.i);
  const directions = new Map<NeighbourNote, -1 | 1>();
  const dates = new Map<NeighbourNote, number>();
  for (const { note, scene } of confirmed) {
    directions.set(note, directionOf(note, scene, directions));
    const firstAnomaly = dateOf(spec, note, scene, dates);
    dates.set(note, firstAnomaly);
    const its = byPixel.get(note.event.pixel)!;
    settle(
      spec,
      joined,
      its,
      { ...note, event: { ...note.event, firstAnomaly } },
      { scene, direction: directions.get(note)!, ...kind },
    );
  }
  return joined;
}

function notesOf(
  spec: StackSpec,
  events: readonly (PixelEvent | null)[],
  byPixel: ReadonlyMap<number, readonly number[]>,
  kind: Kind,
): readonly NeighbourNote[] {
  const ours = [...byPixel.values()].flat().filter((i) => kind.has(events[i]!));
  const isEnd = (i: number): boolean => events[i]!.evident === NONE;
  const made = ours.filter((i) => !isEnd(i));
  const notes = made.map((i) => {
    const event = events[i]!;
    const end = byPixel
      .get(event.pixel)!
      .find((k) => kind.has(events[k]!) && isEnd(k) && events[k]!.flagged === event.flagged);
    const known = end === undefined ? Number.POSITIVE_INFINITY : events[end]!.rejected;
    const stands = end !== undefined && events[end]!.confirmed !== NONE;
    const [over, stood] = stands ? [Number.POSITIVE_INFINITY, known] : [known, Number.POSITIVE_INFINITY];
    return { i, event, over, stood, near: [] as NeighbourNote[] };
  });
  const its = Map.groupBy(notes, ({ event }) => event.pixel);
  for (const note of notes)
    for (const pixel of neighbours(note.event.pixel, spec))
      for (const other of its.get(pixel) ?? [])
        if (timeApart(spec, note.event.firstAnomaly, other.event.firstAnomaly) <= kind.withinMs)
          note.near.push(other);
  return notes;
}

/** Neighbours' notes that show a change in a scene. */
function shownIn(note: NeighbourNote, scene: number): readonly NeighbourNote[] {
  return note.near.filter(({ event, over }) => event.evident <= scene && over > scene);
}

/** Scene in which neighbours confirm a note; -1 if they do not. */
function confirmationOf(note: NeighbourNote, least: number): number {
  const own = note.event.evident;
  const scenes = note.near.map(({ event }) => Math.max(own, event.evident)).toSorted((a, b) => a - b);
  for (const scene of scenes) {
    if (scene >= note.over) break;
    const pixels = new Set(shownIn(note, scene).map(({ event }) => event.pixel));
    if (pixels.size >= least) return scene;
  }
  return NONE;
}

/**
 * Direction of a note that was confirmed in a scene: that of the neighbours that were confirmed before, or of most notes
 * there. A pixel departs in both directions, and a field may have been perennial and seasonal cover; it is one change.
 */
function directionOf(
  note: NeighbourNote,
  scene: number,
  directions: ReadonlyMap<NeighbourNote, -1 | 1>,
): -1 | 1 {
  const shown = shownIn(note, scene);
  const before = shown.flatMap((other) => directions.get(other) ?? []);
  const all = before.length > 0 ? before : [note, ...shown].map(({ event }) => event.direction);
  const sum = all.reduce<number>((total, direction) => total + direction, 0);
  return sum === 0 ? note.event.direction : sum < 0 ? -1 : 1;
}

function timeApart({ timesMs }: StackSpec, a: number, b: number): number {
  return Math.abs(timesMs[a]! - timesMs[b]!);
}

/**
 * First anomaly of a note that was confirmed in a scene: its own, or the nearest one of the neighbours that were confirmed
 * before, where all of them are in other seasons. So the pixels of one clearing are one change, though clouds and winter hid
 * the beginning in some of them.
 * @param dates those of the notes that were confirmed before
 */
function dateOf(
  spec: StackSpec,
  note: NeighbourNote,
  scene: number,
  dates: ReadonlyMap<NeighbourNote, number>,
): number {
  const { firstAnomaly: own, flagged } = note.event;
  const others = shownIn(note, scene).flatMap((other) => dates.get(other) ?? []);
  if (others.some((date) => timeApart(spec, date, own) <= PARAMETERS.joinWithinMs)) return own;
  const known = others.filter((date) => date <= flagged);
  return known.toSorted((a, b) => timeApart(spec, a, own) - timeApart(spec, b, own))[0] ?? own;
}

/** What neighbours made of a note: the scene of its confirmation and its direction. */
interface Confirmation {
  readonly scene: number;
  readonly direction: -1 | 1;
  readonly seasonal: boolean;
}

/** Puts a note that was confirmed into the events of its pixel, whose indices are `its`. */
function settle(
  { timesMs }: StackSpec,
  joined: (PixelEvent | null)[],
  its: readonly number[],
  { i, event: note, over, stood }: NeighbourNote,
  confirmation: Confirmation,
): void {
  const { scene: confirmed, direction, seasonal } = confirmation;
  const yearMs = PARAMETERS.recoveryWindowMs;
  const onsetMs = timesMs[note.firstAnomaly]!;
  const isBefore = (event: PixelEvent): boolean => event.confirmed !== NONE && event.confirmed <= confirmed;
  /** Whether a change has been told before. */
  const isTold = (event: PixelEvent): boolean => {
    if (!isBefore(event) || (event.recovered !== NONE && event.recovered <= note.evident)) return false;
    return event.early || onsetMs - timesMs[event.confirmed]! < yearMs;
  };
  /** A change of seasonality departs in both directions, a plain fall in one. */
  const isOwn = (event: PixelEvent): boolean => !isNote(event) && (seasonal || event.direction === direction);
  const own = its.filter((k) => joined[k] !== null && isOwn(joined[k]!));
  const told = own.find((k) => isTold(joined[k]!));
  if (told !== undefined) {
    if (!seasonal) joined[told] = standing(joined[told]!, stood);
    return;
  }
  const next = own.find((k) => {
    const event = joined[k]!;
    if (event.status === 'rejected' || isBefore(event)) return false;
    if (timesMs[event.firstAnomaly]! - onsetMs < yearMs) return true;
    return event.direction === direction && goesOn(timesMs, { event: note, over, stood }, event);
  });
  if (next !== undefined) {
    const after = seasonal ? joined[next]! : standing(joined[next]!, stood);
    joined[next] = begun(timesMs, note, after, confirmation);
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
    sure: NONE,
    evident: NONE,
    lastedMs: untilMs - onsetMs,
  };
}

/**
 * Whether a departure in the direction of a note that neighbours confirmed is the same change, though it begins more than a
 * year after the onset of the note: it begins in the year after the note was made, or before the scene in which this year
 * had shown that the ground still departs, and the note was not over when it was confirmed. What was not known then does
 * not count, so a change that was told alone stays one.
 */
function goesOn(
  timesMs: Float64Array,
  { event: note, over, stood }: Pick<NeighbourNote, 'event' | 'over' | 'stood'>,
  { firstAnomaly, confirmed }: PixelEvent,
): boolean {
  const known = confirmed === NONE ? timesMs.length - 1 : confirmed;
  if (over <= known) return false;
  const isInYear = timesMs[firstAnomaly]! - timesMs[note.evident]! < PARAMETERS.recoveryWindowMs;
  return isInYear || (stood <= known && firstAnomaly <= stood);
}

/**
 * A change that has recovered by its own past and is confirmed again in the scene `stood`, because like pixels show
 * that the ground still departs: pasture that was a forest is as green in the wet season.
 */
function standing(event: PixelEvent, stood: number): PixelEvent {
  const isAgain =
    event.status === 'recovered' && stood !== Number.POSITIVE_INFINITY && event.recovered <= stood;
  return isAgain ? { ...event, status: 'confirmed', recovered: NONE } : event;
}

/** A departure that begins with its note. */
function begun(
  timesMs: Float64Array,
  { firstAnomaly, flagged }: PixelEvent,
  event: PixelEvent,
  { scene: confirmed, direction, seasonal }: Confirmation,
): PixelEvent {
  const sinceMs = timesMs[event.firstAnomaly]! - timesMs[firstAnomaly]!;
  return {
    ...event,
    firstAnomaly,
    flagged,
    confirmed,
    direction,
    evident: seasonal ? event.evident : NONE,
    early: true,
    seasonal: seasonal || event.seasonal,
    status: event.status === 'suspected' ? 'confirmed' : event.status,
    lastedMs: Math.max(timesMs[confirmed]! - timesMs[firstAnomaly]!, sinceMs + event.lastedMs),
  };
}

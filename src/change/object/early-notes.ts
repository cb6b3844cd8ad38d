import { PARAMETERS } from '../parameters.ts';
import { isNote, isSeasonalNote, type PixelEvent } from '../pixel/pixel-events.ts';
import { NONE, type StackSpec } from '../stack.ts';

/**
 * Decides what became of pixels that were evident early. A note that neighbours have confirmed is the beginning of what
 * departs at its pixel in the same direction and begins within a year: a field that was a forest is green between two
 * harvests. While nothing does, it has recovered after 90 days, as it may have been cloud. Other notes are left out.
 * @param events those of the pixels with notes, in order of time at each pixel; null where one was left out before.
 *   Each note was known when its event was made, before later ones ended
 * @returns for each event what it has become; null where it is left out
 */
export function joinNotes(
  { timesMs }: Pick<StackSpec, 'timesMs'>,
  events: readonly (PixelEvent | null)[],
): (PixelEvent | null)[] {
  const joined: (PixelEvent | null)[] = [...events];
  const known = [...events.keys()].filter((i) => events[i] !== null);
  const notes = known.filter((i) => isNote(events[i]!) && !isSeasonalNote(events[i]!));
  const byPixel = Map.groupBy(known, (i) => events[i]!.pixel);
  // The latest first: what began with one note may have begun with an earlier one.
  for (const i of notes.toReversed()) {
    const note = events[i]!;
    joined[i] = null;
    if (note.confirmed === NONE) continue;
    const yearMs = timesMs[note.firstAnomaly]! + PARAMETERS.recoveryWindowMs;
    const next = byPixel
      .get(note.pixel)!
      .find((k) => k > i && isItsChange(joined[k] ?? null, note, timesMs, yearMs));
    joined[next ?? i] = next === undefined ? alone(timesMs, note) : begun(timesMs, note, joined[next]!);
  }
  return joined;
}

function isItsChange(
  event: PixelEvent | null,
  note: PixelEvent,
  timesMs: Float64Array,
  yearMs: number,
): boolean {
  if (event === null || event.status === 'rejected' || event.direction !== note.direction) return false;
  return timesMs[event.firstAnomaly]! < yearMs;
}

/** A change of which nothing was seen later: it has recovered when a departure would have been confirmed alone. */
function alone(timesMs: Float64Array, note: PixelEvent): PixelEvent {
  const untilMs = timesMs[note.evident]! + PARAMETERS.confirmAfterMs.harmonic;
  const recovered = timesMs.findIndex((ms) => ms >= untilMs);
  return { ...note, status: recovered < 0 ? 'confirmed' : 'recovered', recovered, rejected: NONE };
}

/** A change that begins with its note. */
function begun(timesMs: Float64Array, note: PixelEvent, event: PixelEvent): PixelEvent {
  const { firstAnomaly, flagged, evident } = note;
  // It began with a note of a plain fall before.
  if (event.early && event.firstAnomaly <= firstAnomaly)
    return { ...event, confirmed: Math.min(note.confirmed, event.confirmed) };
  const sinceMs = timesMs[event.firstAnomaly]! - timesMs[firstAnomaly]!;
  return {
    ...event,
    firstAnomaly,
    flagged,
    evident,
    status: event.status === 'suspected' ? 'confirmed' : event.status,
    confirmed: event.confirmed === NONE ? note.confirmed : Math.min(note.confirmed, event.confirmed),
    lastedMs: sinceMs + event.lastedMs,
  };
}

// Long file: the compact form of events is written, read and changed here only.
import type { StateStream } from '../state/state-stream.ts';
import { NONE } from '../stack.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter } from '../state/state-writer.ts';

/** Status of a departure. */
export const STATUSES = ['suspected', 'confirmed', 'recovered', 'rejected'] as const;
export type ChangeStatus = (typeof STATUSES)[number];

/**
 * How a metric moved in a departure: medians of its observations from the first anomaly on [metric unit], NaN if the
 * metric was not observed.
 */
export interface Move {
  /** Observed - expected. */
  readonly residual: number;
  readonly value: number;
}

/**
 * A flagged departure of a pixel. `firstAnomaly` to `rejected` are indices of scenes; the index is -1 if the departure
 * did not reach that state.
 */
export interface PixelEvent {
  readonly pixel: number;
  /** -1 for a fall, 1 for a rise. */
  readonly direction: -1 | 1;
  readonly status: ChangeStatus;
  readonly firstAnomaly: number;
  readonly flagged: number;
  readonly confirmed: number;
  /** Scene since which the departure is plain enough to be confirmed together with its neighbours. */
  readonly sure: number;
  /** Scene since which the departure is evident, so that a larger group of neighbours can confirm it sooner. */
  readonly evident: number;
  /**
   * Whether it is a note that the pixel was evident early: `evident` and `rejected` are the same scene then. Only
   * neighbours make a change of it.
   */
  readonly early: boolean;
  readonly recovered: number;
  readonly rejected: number;
  /** Whether the baseline was a seasonal fit, not the neighbourhood, when the departure was flagged. */
  readonly harmonic: boolean;
  /** Whether the departure is a change of seasonality. */
  readonly seasonal: boolean;
  /**
   * Posterior probability of the change: the highest since it was plain or confirmed, or the latest if it was neither.
   */
  readonly posterior: number;
  /** Time from the first anomaly to the latest observation of the departure [ms]. */
  readonly lastedMs: number;
  /**
   * Median residual (observed - expected) from the first anomaly to the latest observation of the departure [metric
   * unit].
   */
  readonly magnitude: number;
  /** How each followed metric moved. The first metric is that of `magnitude`. */
  readonly moves: readonly Move[];
}

/** Receives a departure as an event. */
export type Emit = (event: PixelEvent) => void;

/** An event without its figures: its scenes and what kind of event it is. */
export type EventScenes = Omit<PixelEvent, 'posterior' | 'lastedMs' | 'magnitude' | 'moves'>;

/**
 * Length of a row of `PixelEvents.scenes`, and length of the part of a row of `PixelEvents.figures` before the moves.
 */
const COLUMNS = 9;
const FIGURES = 2;

/** Many events in compact form, ordered by pixel, then by time. Plain data that can be sent to other threads. */
export interface PixelEvents {
  /**
   * One row per event: pixel, scenes of first anomaly, flag, confirmation, recovery and rejection, and a code of
   * status, whether it is a note, kind of change, kind of baseline and direction; then the scenes since which it is plain
   * and evident.
   */
  readonly scenes: Int32Array;
  /** One row per event: posterior, duration [ms], then residual and value of each metric. */
  readonly figures: Float64Array;
  /** Number of followed metrics. */
  readonly metrics: number;
}

/** Converts events to the compact form. */
export function packEvents(
  events: readonly PixelEvent[],
  metrics = events[0]?.moves.length ?? 1,
): PixelEvents {
  const packed = roomFor(events.length, metrics);
  for (let i = 0; i < events.length; i++) packEvent(packed, i, events[i]!);
  return packed;
}

function roomFor(count: number, metrics: number): PixelEvents {
  return {
    scenes: new Int32Array(count * COLUMNS),
    figures: new Float64Array(count * (FIGURES + 2 * metrics)),
    metrics,
  };
}

/** Writes an event to row `i`. */
function packEvent({ scenes, figures, metrics }: PixelEvents, i: number, event: PixelEvent): void {
  const code =
    STATUSES.indexOf(event.status) * 16 +
    (event.early ? 8 : 0) +
    (event.seasonal ? 4 : 0) +
    (event.harmonic ? 2 : 0) +
    (event.direction > 0 ? 1 : 0);
  const at = i * COLUMNS;
  scenes[at] = event.pixel;
  scenes[at + 1] = event.firstAnomaly;
  scenes[at + 2] = event.flagged;
  scenes[at + 3] = event.confirmed;
  scenes[at + 4] = event.recovered;
  scenes[at + 5] = event.rejected;
  scenes[at + 6] = code;
  scenes[at + 7] = event.sure;
  scenes[at + 8] = event.evident;
  const from = i * (FIGURES + 2 * metrics);
  figures[from] = event.posterior;
  figures[from + 1] = event.lastedMs;
  for (let m = 0; m < event.moves.length; m++) {
    figures[from + FIGURES + 2 * m] = event.moves[m]!.residual;
    figures[from + FIGURES + 2 * m + 1] = event.moves[m]!.value;
  }
}

/** Saves one event. */
export function saveEvent(writer: StateWriter, event: PixelEvent): void {
  eventFields(writer, event);
}

/** Loads one event. */
export function loadEvent(reader: StateReader): PixelEvent {
  return eventFields(reader, NO_EVENT);
}

/** Placeholder for a reader, which ignores the values of this event. */
const NO_EVENT: PixelEvent = {
  pixel: 0,
  direction: -1,
  status: 'suspected',
  firstAnomaly: NONE,
  flagged: NONE,
  confirmed: NONE,
  sure: NONE,
  evident: NONE,
  early: false,
  recovered: NONE,
  rejected: NONE,
  harmonic: false,
  seasonal: false,
  posterior: 0,
  lastedMs: 0,
  magnitude: 0,
  moves: [],
};

/** Writes or reads the saved fields of an event, always in the same order. */
function eventFields(stream: StateStream, event: PixelEvent): PixelEvent {
  const fields = {
    pixel: stream.natural(event.pixel),
    direction: stream.flag(event.direction > 0) ? (1 as const) : (-1 as const),
    status: STATUSES[stream.byte(STATUSES.indexOf(event.status))]!,
    firstAnomaly: stream.scene(event.firstAnomaly),
    flagged: stream.scene(event.flagged),
    confirmed: stream.scene(event.confirmed),
    sure: stream.scene(event.sure),
    evident: stream.scene(event.evident),
    early: stream.flag(event.early),
    recovered: stream.scene(event.recovered),
    rejected: stream.scene(event.rejected),
    harmonic: stream.flag(event.harmonic),
    seasonal: stream.flag(event.seasonal),
    posterior: stream.double(event.posterior),
    lastedMs: stream.double(event.lastedMs),
    magnitude: stream.double(event.magnitude),
  };
  const count = stream.byte(event.moves.length);
  const moves: Move[] = [];
  for (let m = 0; m < count; m++) {
    const residual = stream.double(event.moves[m]?.residual ?? Number.NaN);
    moves.push({ residual, value: stream.double(event.moves[m]?.value ?? Number.NaN) });
  }
  return { ...fields, moves };
}

/** Number of events. */
export function eventCount(events: PixelEvents): number {
  return events.scenes.length / COLUMNS;
}

/** Columns of a row of `PixelEvents.scenes` that can be read without unpacking the event. */
const COLUMN = {
  pixel: 0,
  firstAnomaly: 1,
  flagged: 2,
  confirmed: 3,
  recovered: 4,
  rejected: 5,
  sure: 7,
  evident: 8,
} as const;

/** Returns one field of event `i`: its pixel, or the scene in which it reached a state. */
export function fieldAt({ scenes }: PixelEvents, i: number, field: keyof typeof COLUMN): number {
  return scenes[i * COLUMNS + COLUMN[field]]!;
}

/** Status of event `i`. */
export function statusAt({ scenes }: PixelEvents, i: number): ChangeStatus {
  return STATUSES[scenes[i * COLUMNS + 6]! >> 4]!;
}

/** Direction of event `i`: -1 for a fall, 1 for a rise. */
export function directionAt({ scenes }: PixelEvents, i: number): -1 | 1 {
  return (scenes[i * COLUMNS + 6]! & 1) !== 0 ? 1 : -1;
}

/** Returns event `i` of the compact form without its figures: a tenth of the memory of the whole event. */
export function scenesAt({ scenes }: PixelEvents, i: number): EventScenes {
  const at = i * COLUMNS;
  const code = scenes[at + 6]!;
  return {
    pixel: scenes[at]!,
    firstAnomaly: scenes[at + 1]!,
    flagged: scenes[at + 2]!,
    confirmed: scenes[at + 3]!,
    recovered: scenes[at + 4]!,
    rejected: scenes[at + 5]!,
    sure: scenes[at + 7]!,
    evident: scenes[at + 8]!,
    early: (code & 8) !== 0,
    status: STATUSES[code >> 4]!,
    harmonic: (code & 2) !== 0,
    seasonal: (code & 4) !== 0,
    direction: (code & 1) === 0 ? -1 : 1,
  };
}

/** Returns event `i` of the compact form. */
export function eventAt(events: PixelEvents, i: number): PixelEvent {
  const figure = i * (FIGURES + 2 * events.metrics);
  const moves: Move[] = [];
  for (let m = 0; m < events.metrics; m++)
    moves.push({
      residual: events.figures[figure + FIGURES + 2 * m]!,
      value: events.figures[figure + FIGURES + 2 * m + 1]!,
    });
  return {
    ...scenesAt(events, i),
    posterior: events.figures[figure]!,
    lastedMs: events.figures[figure + 1]!,
    magnitude: moves[0]!.residual,
    moves,
  };
}

/** Joins the events of several parts of a grid. The parts may be in any order and must have the same metrics. */
export function joinEvents(parts: readonly PixelEvents[]): PixelEvents {
  const ordered = parts
    .filter((part) => part.scenes.length > 0)
    .toSorted((a, b) => a.scenes[0]! - b.scenes[0]!);
  const size = ordered.reduce((sum, part) => sum + eventCount(part), 0);
  const metrics = parts[0]?.metrics ?? 1;
  const width = FIGURES + 2 * metrics;
  const joined = { scenes: new Int32Array(size * COLUMNS), figures: new Float64Array(size * width), metrics };
  let at = 0;
  for (const part of ordered) {
    joined.scenes.set(part.scenes, at * COLUMNS);
    joined.figures.set(part.figures, at * width);
    at += eventCount(part);
  }
  return joined;
}

/**
 * Returns a copy in which some events are replaced or left out. Their pixels stay.
 * @param changed what event `i` becomes: null if it is left out, undefined if it stays. It is packed at once, so that
 *   not all of them are in memory
 */
export function replaceEvents(
  events: PixelEvents,
  changed: (i: number) => PixelEvent | null | undefined,
): PixelEvents {
  const width = FIGURES + 2 * events.metrics;
  const count = eventCount(events);
  const copy = roomFor(count, events.metrics);
  let at = 0;
  for (let i = 0; i < count; i++) {
    const event = changed(i);
    if (event === null) continue;
    if (event === undefined) {
      copy.scenes.set(events.scenes.subarray(i * COLUMNS, (i + 1) * COLUMNS), at * COLUMNS);
      copy.figures.set(events.figures.subarray(i * width, (i + 1) * width), at * width);
    } else packEvent(copy, at, event);
    at += 1;
  }
  if (at === count) return copy;
  return { ...copy, scenes: copy.scenes.slice(0, at * COLUMNS), figures: copy.figures.slice(0, at * width) };
}

/** Whether an event is a note of a change of seasonality that neighbours have not confirmed yet, or the end of one. */
export function isSeasonalNote(event: EventScenes): boolean {
  return isNote(event) && event.seasonal;
}

/** Whether an event is a note of a plain fall that neighbours have not confirmed yet, or the end of one. */
export function isPlainNote(event: EventScenes): boolean {
  return isNote(event) && !event.seasonal && event.sure !== NONE;
}

/** Whether an event is a note that neighbours have not confirmed yet. */
export function isNote({ early, status }: EventScenes): boolean {
  return early && status === 'rejected';
}

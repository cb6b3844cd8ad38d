import type { StateTape } from './state-tape.ts';

/** What became of a departure. */
export const STATUSES = ['suspected', 'confirmed', 'recovered', 'rejected'] as const;
export type ChangeStatus = (typeof STATUSES)[number];

/** How one metric moved in a departure: medians from its first anomaly on [metric unit], NaN where it was not observed. */
export interface Move {
  /** Observed - expected. */
  readonly residual: number;
  readonly value: number;
}

/** One flagged departure of one pixel; scenes are indices, -1 where the state was not reached. */
export interface PixelEvent {
  readonly pixel: number;
  /** -1 a fall, 1 a rise. */
  readonly direction: -1 | 1;
  readonly status: ChangeStatus;
  readonly firstAnomaly: number;
  readonly flagged: number;
  readonly confirmed: number;
  readonly recovered: number;
  readonly rejected: number;
  /** Whether the baseline was seasonal rather than the neighbourhood. */
  readonly harmonic: boolean;
  /** Posterior of the change: the highest since confirmation, else the latest. */
  readonly posterior: number;
  /** From the first anomaly to the latest observation that counted [ms]. */
  readonly lastedMs: number;
  /** Median residual (observed - expected) from the first anomaly to the latest observation that counted [metric unit]. */
  readonly magnitude: number;
  /** How each metric that was followed moved, the one of `magnitude` first. */
  readonly moves: readonly Move[];
}

/** Columns of `PixelEvents`, in their order. */
const COLUMNS = 7;
const FIGURES = 2;

/** Many events, compact and ordered by pixel, then time. Plain data, so it crosses threads. */
export interface PixelEvents {
  /** Row-major events x [pixel, first anomaly, flagged, confirmed, recovered, rejected, code]. */
  readonly scenes: Int32Array;
  /** Row-major events x [posterior, lasted, then residual and value of each metric]. */
  readonly figures: Float64Array;
  /** Metrics that were followed. */
  readonly metrics: number;
}

/** Packs events. */
export function packEvents(
  events: readonly PixelEvent[],
  metrics = events[0]?.moves.length ?? 1,
): PixelEvents {
  const width = FIGURES + 2 * metrics;
  const scenes = new Int32Array(events.length * COLUMNS);
  const figures = new Float64Array(events.length * width);
  for (const [i, event] of events.entries()) {
    const code =
      STATUSES.indexOf(event.status) * 4 + (event.harmonic ? 2 : 0) + (event.direction > 0 ? 1 : 0);
    scenes.set(
      [
        event.pixel,
        event.firstAnomaly,
        event.flagged,
        event.confirmed,
        event.recovered,
        event.rejected,
        code,
      ],
      i * COLUMNS,
    );
    const moves = event.moves.flatMap(({ residual, value }) => [residual, value]);
    figures.set([event.posterior, event.lastedMs, ...moves], i * width);
  }
  return { scenes, figures, metrics };
}

/** One event, to or from a tape. */
export function carryEvent(tape: StateTape, event?: PixelEvent): PixelEvent {
  const scene = (value: number | undefined): number => tape.scene(value ?? -1);
  const double = (value: number | undefined): number => tape.double(value ?? Number.NaN);
  const carried = {
    pixel: tape.natural(event?.pixel ?? 0),
    direction: tape.flag((event?.direction ?? -1) > 0) ? (1 as const) : (-1 as const),
    status: STATUSES[tape.byte(event === undefined ? 0 : STATUSES.indexOf(event.status))]!,
    firstAnomaly: scene(event?.firstAnomaly),
    flagged: scene(event?.flagged),
    confirmed: scene(event?.confirmed),
    recovered: scene(event?.recovered),
    rejected: scene(event?.rejected),
    harmonic: tape.flag(event?.harmonic ?? false),
    posterior: double(event?.posterior),
    lastedMs: double(event?.lastedMs),
    magnitude: double(event?.magnitude),
  };
  const metrics = tape.byte(event?.moves.length ?? 0);
  const moves = Array.from({ length: metrics }, (_, m) => ({
    residual: double(event?.moves[m]!.residual),
    value: double(event?.moves[m]!.value),
  }));
  return { ...carried, moves };
}

/** Number of events. */
export function eventCount(events: PixelEvents): number {
  return events.scenes.length / COLUMNS;
}

/** Unpacks one event. */
export function eventAt(events: PixelEvents, i: number): PixelEvent {
  const at = i * COLUMNS;
  const code = events.scenes[at + 6]!;
  const figure = i * (FIGURES + 2 * events.metrics);
  const moves = Array.from({ length: events.metrics }, (_, m) => ({
    residual: events.figures[figure + FIGURES + 2 * m]!,
    value: events.figures[figure + FIGURES + 2 * m + 1]!,
  }));
  return {
    pixel: events.scenes[at]!,
    firstAnomaly: events.scenes[at + 1]!,
    flagged: events.scenes[at + 2]!,
    confirmed: events.scenes[at + 3]!,
    recovered: events.scenes[at + 4]!,
    rejected: events.scenes[at + 5]!,
    status: STATUSES[code >> 2]!,
    harmonic: (code & 2) !== 0,
    direction: (code & 1) === 0 ? -1 : 1,
    posterior: events.figures[figure]!,
    lastedMs: events.figures[figure + 1]!,
    magnitude: moves[0]!.residual,
    moves,
  };
}

/** Joins the events of parts of a grid in the same metrics, given in any order. */
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

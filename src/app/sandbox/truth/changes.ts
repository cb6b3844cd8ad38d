import { LIVE_FROM, type EventKind, type PlantedEvent } from '../../../sandbox/events.ts';
import { RADAR_GRID } from '../../../sandbox/motion.ts';
import { SANDBOX_GRID } from '../../../sandbox/terrain.ts';
import { dateOfDay, dayOf } from '../../../sandbox/weather.ts';
import type { ChangeRecord } from '../../changes/change-store.ts';

/** Types of change that match each kind of event. The first type of each list is the exact one. */
const TYPES: Readonly<Record<EventKind, readonly string[]>> = {
  clearing: ['vegetation_loss'],
  fire: ['burn', 'vegetation_loss'],
  construction: ['built_up', 'vegetation_loss'],
  reservoir: ['water_gain', 'vegetation_loss'],
  planting: ['vegetation_gain', 'vegetation_loss'], // the crop is removed before the trees grow
  flood: ['water_gain', 'vegetation_loss'],
  subsidence: ['ground_subsidence'],
};
const LASTING_DAYS = 90; // minimum duration of a confirmed change: docs/methods/change.md
const FEW_PIXELS = 5; // an event with fewer pixels cannot be distinguished from noise
const ON_EVENT = 0.5; // a change matches planted events if at least this share of its pixels lies on them
const FOUND = 0.5; // an event counts as found if at least this share of its pixels lies in confirmed changes

/** Result of comparing one planted event with the changes. */
export interface JudgedEvent {
  readonly id: string;
  readonly kind: EventKind;
  /** Day on which the first pixel changed, YYYY-MM-DD. */
  readonly began: string;
  readonly pixels: number;
  /**
   * Type and status of the change that covers most of the event; null when less than half of the event's pixels lie
   * in confirmed or recovered changes.
   */
  readonly foundAs: string | null;
  readonly status: string | null;
  /** Share of the event's pixels in confirmed or recovered changes. */
  readonly share: number;
  readonly firstAnomalyAt: string | null;
  readonly confirmedAt: string | null;
  /** Number of days from the first changed pixel of the event to the confirmation of the change. */
  readonly lagDays: number | null;
  /** Reason why the event was not found; null if it was found. */
  readonly whyNot: string | null;
}

/** A change with its pixels on SANDBOX_GRID. */
export interface MappedChange {
  readonly change: ChangeRecord;
  readonly pixels: readonly number[];
}

/** Maps the pixels of a change to SANDBOX_GRID. A radar pixel covers four pixels of that grid. */
export function mapChange(change: ChangeRecord): MappedChange {
  const { runs } = change.provenance.pixels;
  const own: number[] = [];
  for (let r = 0; r < runs.length; r += 2)
    for (let p = runs[r]!; p < runs[r]! + runs[r + 1]!; p++) own.push(p);
  if (change.metric !== 'displacement') return { change, pixels: own };
  const { width } = RADAR_GRID;
  const fine = SANDBOX_GRID.width;
  const pixels = own.flatMap((p) => {
    const first = 2 * Math.floor(p / width) * fine + 2 * (p % width);
    return [first, first + 1, first + fine, first + fine + 1];
  });
  return { change, pixels };
}

/** Compares one event with the changes that were found before a day. */
export function judgeEvent(event: PlantedEvent, changes: readonly MappedChange[], day: number): JudgedEvent {
  const [first, last] = [Math.min(...event.since), Math.max(...event.since)];
  const touched = new Set(event.pixels);
  const covered = new Set<number>();
  let [best, most]: [ChangeRecord | undefined, number] = [undefined, 0];
  let suspected = 0;
  for (const { change, pixels } of changes) {
    if (!canMatch(change, event)) continue;
    const shared = pixels.filter((pixel) => touched.has(pixel));
    if (shared.length === 0) continue;
    if (change.status !== 'confirmed' && change.status !== 'recovered') {
      suspected += shared.length;
      continue;
    }
    for (const pixel of shared) covered.add(pixel);
    if (shared.length > most) [best, most] = [change, shared.length];
  }
  const count = event.pixels.length;
  const share = covered.size / count;
  const claimed = [
    ...(best === undefined ? [] : [`${percent(share)} of it is confirmed, as ${best.type}`]),
    ...(suspected === 0 ? [] : [`${percent(suspected / count)} of it is suspected`]),
  ];
  const whyNot = share >= FOUND ? null : [reasonOf(event, { first, last, day }), ...claimed].join('; ');
  if (whyNot !== null) best = undefined;
  return {
    id: event.id,
    kind: event.kind,
    began: dateOfDay(first),
    pixels: count,
    foundAs: best?.type ?? null,
    status: best?.status ?? null,
    share,
    firstAnomalyAt: best?.firstAnomalyAt ?? null,
    confirmedAt: best?.confirmedAt ?? null,
    lagDays: best?.confirmedAt == null ? null : dayNumber(best.confirmedAt) - first,
    whyNot,
  };
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;

function reasonOf(
  { kind, pixels, until }: PlantedEvent,
  at: { readonly first: number; readonly last: number; readonly day: number },
): string {
  if (until !== null && until - at.last < LASTING_DAYS)
    return `over after ${until - at.first} days, and no change is claimed of what lasts less than ${LASTING_DAYS}`;
  if (at.day - at.last < LASTING_DAYS)
    return `${at.day - at.last} days ago, and a change is confirmed after ${LASTING_DAYS}`;
  if (kind === 'subsidence' && at.day < LIVE_FROM) return `sinks since ${at.day - at.first} days`;
  if (pixels.length < FEW_PIXELS) return `${pixels.length} pixels are too few to be told from noise`;
  return 'missed';
}

/** Whether at least half of the pixels of a change lie on events whose kind matches the type of the change. */
export function isOnEvent({ change, pixels }: MappedChange, events: readonly PlantedEvent[]): boolean {
  return sharedPixels({ change, pixels }, events) >= ON_EVENT * pixels.length;
}

/**
 * Whether a change has a type that matches an event, and was not confirmed (or, if unconfirmed, detected) before the
 * event began.
 */
function canMatch({ type, confirmedAt, detectedAt }: ChangeRecord, { kind, since }: PlantedEvent): boolean {
  return TYPES[kind].includes(type) && (confirmedAt ?? detectedAt) >= dateOfDay(Math.min(...since));
}

/** Number of pixels of a change that lie on events whose kind matches the type of the change. */
export function sharedPixels({ change, pixels }: MappedChange, events: readonly PlantedEvent[]): number {
  const touched = new Set<number>();
  for (const event of events)
    if (canMatch(change, event)) for (const pixel of event.pixels) touched.add(pixel);
  return pixels.reduce((count, pixel) => count + (touched.has(pixel) ? 1 : 0), 0);
}

function dayNumber(date: string): number {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  return dayOf(year, month, day);
}

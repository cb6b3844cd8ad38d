import type { ChangeType, MetricTraits } from './metric.ts';
import { medianInPlace } from './median.ts';
import { PARAMETERS } from './parameters.ts';
import { eventAt, eventCount } from './pixel-events.ts';
import type { ChangeStatus, PixelEvent, PixelEvents } from './pixel-events.ts';
import { eventComponents, isEarlier } from './event-components.ts';
import type { StackSpec } from './stack.ts';

/** A group of neighbouring pixels that changed together. Times are ms since the Unix epoch, of scenes. */
export interface ChangeObject {
  readonly type: ChangeType;
  readonly status: ChangeStatus;
  /** Pixel indices, row-major, ascending. */
  readonly pixels: Uint32Array;
  /** The earliest flagged pixel, ties by its first anomaly and then its index; with `firstAnomalyMs` it names the object. */
  readonly seed: PixelEvent;
  /** First anomaly of the seed. */
  readonly firstAnomalyMs: number;
  /** When enough pixels for the minimum mapping unit were confirmed, or flagged where the object never was. */
  readonly detectedMs: number;
  readonly confirmedMs: number | null;
  /** When more than half of the confirmed pixels had recovered. */
  readonly recoveredMs: number | null;
  /** When the last pixel of a rejected object was. */
  readonly rejectedMs: number | null;
  /** Mean posterior of the pixels that carry the status, less for a short history; in [0, 1], not yet calibrated. */
  readonly confidence: number;
  /** Median departure of those pixels, observed - expected [metric unit]. */
  readonly magnitude: number;
}

/** Fewest pixels of an object: 500 m2 and three pixels, or one pixel of a hectare or more. */
export function minimumMappingUnit(pixelAreaM2: number): number {
  if (pixelAreaM2 >= PARAMETERS.singlePixelAreaM2) return 1;
  return Math.max(PARAMETERS.minObjectPixels, Math.ceil(PARAMETERS.minObjectAreaM2 / pixelAreaM2));
}

/**
 * Groups the events of a whole grid into objects, ordered by first anomaly, then seed. Confirmed pixels grow by the
 * suspected ones that touch them, as long as they stay `minConfirmedShare` of the whole; else the two part.
 */
export function changeObjects(spec: StackSpec, traits: MetricTraits, events: PixelEvents): ChangeObject[] {
  const unit = minimumMappingUnit(spec.pixelAreaM2);
  const objects: ChangeObject[] = [];
  const add = (group: readonly number[]): void => {
    const members = group.map((i) => eventAt(events, i));
    const object = describe(spec, traits, members, unit);
    if (object !== null) objects.push(object);
  };
  const indices = Array.from({ length: eventCount(events) }, (_, i) => i);
  const byStatus = Map.groupBy(indices, (i) => eventAt(events, i).status);
  const of = (status: ChangeStatus): readonly number[] => byStatus.get(status) ?? [];
  const standing = new Set([...of('confirmed'), ...of('recovered')]);
  for (const grown of eventComponents(spec, events, [...standing, ...of('suspected')])) {
    const seeds = grown.filter((i) => standing.has(i));
    if (seeds.length === 0 || seeds.length >= PARAMETERS.minConfirmedShare * grown.length) {
      add(grown);
      continue;
    }
    const open = grown.filter((i) => !standing.has(i));
    for (const part of eventComponents(spec, events, seeds)) add(part);
    for (const part of eventComponents(spec, events, open)) add(part);
  }
  for (const part of eventComponents(spec, events, of('rejected'))) add(part);
  return objects.toSorted((a, b) => a.firstAnomalyMs - b.firstAnomalyMs || a.seed.pixel - b.seed.pixel);
}

function describe(
  spec: StackSpec,
  traits: MetricTraits,
  members: readonly PixelEvent[],
  unit: number,
): ChangeObject | null {
  const pixels = Uint32Array.from(new Set(members.map((event) => event.pixel))).sort();
  if (pixels.length < unit) return null;
  const seed = members.reduce((first, event) => (isEarlier(event, first) ? event : first));
  const type = seed.direction < 0 ? traits.fall : traits.rise;
  if (type === null) return null;
  const confirmed = members.filter((event) => event.confirmed >= 0);
  const bearers = confirmed.length > 0 ? confirmed : members;
  const recovered = confirmed.filter((event) => event.recovered >= 0);
  const hasRecovered = recovered.length * 2 > confirmed.length;
  const isRejected = members.every((event) => event.status === 'rejected');
  const scenes = (
    list: readonly PixelEvent[],
    field: 'flagged' | 'confirmed' | 'recovered' | 'rejected',
  ): number[] => list.map((event) => event[field]).toSorted((a, b) => a - b);
  const timeOf = (scene: number): number => spec.timesMs[scene]!;
  const confirmedMs =
    confirmed.length === 0
      ? null
      : timeOf(scenes(confirmed, 'confirmed')[Math.min(unit, confirmed.length) - 1]!);
  const trust = bearers.reduce(
    (sum, event) => sum + event.posterior * (event.harmonic ? 1 : PARAMETERS.shortHistoryConfidence),
    0,
  );
  const magnitudes = Float64Array.from(bearers, (event) => event.magnitude);
  return {
    type,
    status: isRejected
      ? 'rejected'
      : confirmed.length === 0
        ? 'suspected'
        : hasRecovered
          ? 'recovered'
          : 'confirmed',
    pixels,
    seed,
    firstAnomalyMs: timeOf(seed.firstAnomaly),
    detectedMs: confirmedMs ?? timeOf(scenes(members, 'flagged')[unit - 1]!),
    confirmedMs,
    recoveredMs: hasRecovered
      ? timeOf(scenes(recovered, 'recovered')[Math.floor(confirmed.length / 2)]!)
      : null,
    rejectedMs: isRejected ? timeOf(scenes(members, 'rejected').at(-1)!) : null,
    confidence: trust / bearers.length,
    magnitude: medianInPlace(magnitudes, magnitudes.length),
  };
}

import { bounded } from './claim-model.ts';
import { modelConfidence, scoreOf, type ConfidenceBasis } from './confidence.ts';
import { withExperience, type StatedConfidence } from './moved-confidence.ts';
import { changeType } from './change-type.ts';
import { type ChangeType, type MetricTraits } from '../metric.ts';
import { medianInPlace } from '../../numerics/median.ts';
import { PARAMETERS } from '../parameters.ts';
import { eventAt, eventCount, statusAt } from '../pixel/pixel-events.ts';
import type { ChangeStatus, Move, PixelEvent, PixelEvents } from '../pixel/pixel-events.ts';
import {
  atSameTime,
  EventComponents,
  isEarlier,
  joinComponents,
  pixelCount,
  withinSeason,
} from './event-components.ts';
import { confirmTogether } from './joint-confirmation.ts';
import { gatherPieces } from './small-pieces.ts';
import type { StackSpec } from '../stack.ts';

/** A group of neighbouring pixels that changed together. All times are times of scenes [ms since the Unix epoch]. */
export interface ChangeObject extends StatedConfidence {
  readonly type: ChangeType;
  readonly status: ChangeStatus;
  /** Pixel indices, row-major, ascending. */
  readonly pixels: Uint32Array;
  /**
   * The pixel that was confirmed first, or flagged first if none was confirmed. Ties are broken by scene of the
   * flag, scene of the first anomaly and pixel index. The seed and its first anomaly identify the object. Pixels that
   * join later are confirmed later, so the identity is stable.
   */
  readonly seed: PixelEvent;
  /** Time of the first anomaly of the seed. */
  readonly seedAnomalyMs: number;
  /**
   * Time at which a tenth of the confirmed pixels (of all pixels if none was confirmed) had departed. Not the
   * time of the first departure, because among many pixels some depart early by chance. Pixels that a motion of the
   * ground reached after its first season are not counted.
   */
  readonly firstAnomalyMs: number;
  /**
   * Time at which the number of confirmed pixels reached the minimum mapping unit. If no pixel was confirmed, the
   * flagged pixels are counted.
   */
  readonly detectedMs: number;
  readonly confirmedMs: number | null;
  /** Time at which more than half of the confirmed pixels had recovered, or the later time at which it was confirmed. */
  readonly recoveredMs: number | null;
  /** Time at which the last pixel of a rejected object was rejected. */
  readonly rejectedMs: number | null;
  /**
   * Mean score of the confirmed pixels (of all pixels if none was confirmed), in [0, 1]. The score of a pixel depends
   * on its posterior, its kind of baseline, its confirmation and the duration of the departure.
   */
  readonly score: number;
  /** Metric of `magnitude`: the first of the followed metrics that was observed since the change began. */
  readonly metric: string;
  /** Median of observed - expected in `metric`, over the same pixels as for `score` [metric unit]. */
  readonly magnitude: number;
  /** Median move of these pixels in each metric that was observed. */
  readonly moves: Readonly<Record<string, Move>>;
}

/**
 * Returns the minimum number of pixels of an object: 1 if a pixel has a hectare or more, otherwise at least 3, and
 * enough to cover 500 m2.
 */
export function minimumMappingUnit(pixelAreaM2: number): number {
  if (pixelAreaM2 >= PARAMETERS.singlePixelAreaM2) return 1;
  return Math.max(PARAMETERS.minObjectPixels, Math.ceil(PARAMETERS.minObjectAreaM2 / pixelAreaM2));
}

/**
 * Groups the events of a whole grid into objects, ordered by the first anomaly of the seed, then by its pixel. A group
 * of confirmed pixels also includes the suspected pixels that touch it. If the confirmed pixels are less than
 * `minConfirmedShare` of this group, the confirmed and the suspected pixels are separate objects.
 * @param others keys of the further metrics of the events
 */
export function changeObjects(
  spec: StackSpec,
  traits: MetricTraits,
  single: PixelEvents,
  others: readonly string[] = [],
): ChangeObject[] {
  const events = confirmTogether(spec, single);
  const metrics = [spec.metric, ...others];
  // If the grid has fewer pixels than the minimum mapping unit, a change of the whole grid still counts as an object:
  // the user chose so small an area.
  const unit = Math.min(minimumMappingUnit(spec.pixelAreaM2), spec.width * spec.height);
  const objects: ChangeObject[] = [];
  const add = (group: readonly number[]): void => {
    if (pixelCount(events, group) < unit) return;
    const members = group.map((i) => eventAt(events, i));
    const object = describe(spec, traits, metrics, members, unit);
    if (object !== null) objects.push(object);
  };
  const of = (...statuses: readonly ChangeStatus[]): number[] => {
    const found: number[] = [];
    for (let i = 0; i < eventCount(events); i++) if (statuses.includes(statusAt(events, i))) found.push(i);
    return found;
  };
  const isStanding = (i: number): boolean => ['confirmed', 'recovered'].includes(statusAt(events, i));
  const claimed: (readonly number[])[] = [];
  // Rings of one motion are one change, which grows outwards.
  const components = new EventComponents(
    spec,
    events,
    traits.phenomenon === 'motion' ? atSameTime : withinSeason,
  );
  for (const grown of components.of(of('confirmed', 'recovered', 'suspected'))) {
    const seeds = grown.filter(isStanding);
    if (seeds.length >= PARAMETERS.minConfirmedShare * grown.length) {
      claimed.push(grown);
      continue;
    }
    const open = grown.filter((i) => !isStanding(i));
    if (seeds.length > 0) claimed.push(...components.of(seeds));
    for (const part of components.of(open)) add(part);
  }
  const joined = joinComponents(spec, events, claimed, unit);
  const rejected = of('rejected');
  const changes = traits.phenomenon === 'greenness' ? gatherPieces(spec, events, joined, unit) : joined;
  for (const group of changes) add(group);
  const isPart = new Uint8Array(eventCount(events));
  for (const group of changes) for (const i of group) isPart[i] = 1;
  for (const group of components.each(rejected.filter((i) => isPart[i] === 0))) add(group);
  const stated = withExperience(spec.timesMs.at(-1)!, traits, objects);
  return stated.toSorted((a, b) => a.seedAnomalyMs - b.seedAnomalyMs || a.seed.pixel - b.seed.pixel);
}

function seedOf(members: readonly PixelEvent[]): PixelEvent {
  return members.reduce((first, event) =>
    event.confirmed === first.confirmed
      ? isEarlier(event, first)
        ? event
        : first
      : event.confirmed < first.confirmed
        ? event
        : first,
  );
}

function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values.filter((value) => !Number.isNaN(value)));
  return medianInPlace(sorted, sorted.length);
}

/**
 * Returns a list with one entry: the key of a metric and its median move over the pixels. The list is empty if the
 * metric was not observed.
 */
function moveOf(metric: string, members: readonly PixelEvent[], m: number): [string, Move][] {
  const residual = medianOf(members.map(({ moves }) => moves[m]!.residual));
  const value = medianOf(members.map(({ moves }) => moves[m]!.value));
  return Number.isNaN(residual) ? [] : [[metric, { residual, value }]];
}

function leadOf(moves: ReadonlyMap<string, Move>): Pick<ChangeObject, 'metric' | 'magnitude'> {
  const [[metric, { residual }]] = [...moves] as [[string, Move]];
  return { metric, magnitude: residual };
}

/** Whether a change of greenness is a change of seasonality in most of its confirmed pixels. */
function isConversion(type: ChangeType, confirmed: readonly PixelEvent[]): boolean {
  if (type !== 'vegetation_loss' && type !== 'vegetation_gain') return false;
  return confirmed.filter(({ seasonal }) => seasonal).length * 2 > confirmed.length;
}

function describe(
  spec: StackSpec,
  traits: MetricTraits,
  metrics: readonly string[],
  members: readonly PixelEvent[],
  unit: number,
): ChangeObject | null {
  const pixels = Uint32Array.from(new Set(members.map((event) => event.pixel))).sort();
  if (pixels.length < unit) return null;
  // Without a full year before it, a suspicion needs neighbours: most single ones are custom or weather.
  const isShort = members.every((event) => event.confirmed < 0 && !event.harmonic);
  if (
    isShort &&
    traits.seasonal &&
    pixels.length < PARAMETERS.minObjectPixels &&
    pixels.length < spec.width * spec.height
  )
    return null;
  const confirmed = members.filter((event) => event.confirmed >= 0);
  const seed = seedOf(confirmed.length > 0 ? confirmed : members);
  const bearers = confirmed.length > 0 ? confirmed : members;
  const moves = new Map(metrics.flatMap((metric, m) => moveOf(metric, bearers, m)));
  const kind = changeType(spec.metric, traits, seed.direction, moves);
  if (kind === null || moves.size === 0) return null;
  const type = isConversion(kind, confirmed) ? 'conversion' : kind;
  // Otherwise the beginning of a motion would move to later dates as its outline grows.
  const first =
    traits.phenomenon === 'motion' ? bearers.filter((event) => withinSeason(spec, seed, event)) : bearers;
  const recovered = confirmed.filter((event) => event.recovered >= 0);
  const hasRecovered = recovered.length * 2 > confirmed.length;
  const isRejected = members.every((event) => event.status === 'rejected');
  const scenes = (
    list: readonly PixelEvent[],
    field: 'firstAnomaly' | 'flagged' | 'confirmed' | 'recovered' | 'rejected',
  ): number[] => list.map((event) => event[field]).toSorted((a, b) => a - b);
  const timeOf = (scene: number): number => spec.timesMs[scene]!;
  const confirmedMs =
    confirmed.length === 0
      ? null
      : timeOf(scenes(confirmed, 'confirmed')[Math.min(unit, confirmed.length) - 1]!);
  const object = {
    type,
    status: isRejected
      ? ('rejected' as const)
      : confirmed.length === 0
        ? ('suspected' as const)
        : hasRecovered
          ? ('recovered' as const)
          : ('confirmed' as const),
    pixels,
    seed,
    seedAnomalyMs: timeOf(seed.firstAnomaly),
    firstAnomalyMs: timeOf(
      scenes(first, 'firstAnomaly')[Math.ceil(PARAMETERS.onsetShare * first.length) - 1]!,
    ),
    detectedMs: confirmedMs ?? timeOf(scenes(members, 'flagged')[unit - 1]!),
    confirmedMs,
    // Some pixels may have recovered before others were confirmed.
    recoveredMs: hasRecovered
      ? Math.max(confirmedMs!, timeOf(scenes(recovered, 'recovered')[Math.floor(confirmed.length / 2)]!))
      : null,
    rejectedMs: isRejected ? timeOf(scenes(members, 'rejected').at(-1)!) : null,
    score: scoreOf(traits, bearers),
    ...leadOf(moves),
    moves: Object.fromEntries(moves),
  };
  const confidence = modelConfidence(traits, object);
  return {
    ...object,
    confidence,
    modelConfidence: confidence,
    claim:
      confirmedMs === null
        ? null
        : { confirmedMs, confidence: claimedConfidence(spec, traits, object, confirmed) },
    experience: null,
  };
}

/**
 * About the confidence that the model stated when a change was confirmed: with the duration that its departures had
 * then. Number of pixels and size are those of today.
 */
function claimedConfidence(
  { timesMs }: StackSpec,
  traits: MetricTraits,
  object: Omit<ConfidenceBasis, 'seed'> & Pick<ChangeObject, 'seed'>,
  confirmed: readonly PixelEvent[],
): number {
  const then = (event: PixelEvent): PixelEvent => {
    const lastedMs = timesMs[event.confirmed]! - timesMs[event.firstAnomaly]!;
    return { ...event, lastedMs: Math.min(event.lastedMs, lastedMs) };
  };
  const score = scoreOf(traits, confirmed.map(then));
  return bounded(modelConfidence(traits, { ...object, score, seed: then(object.seed) }));
}

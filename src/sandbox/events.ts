import { COVER, type Land } from './land-cover.ts';
import { bearing, hypotenuse, sine } from './portable-math.ts';
import { hash, uniform } from './random.ts';
import { riverFlood, SANDBOX_GRID, type Ground } from './terrain.ts';
import { dayOf } from './weather.ts';

/**
 * Kinds of planted events that change the ground. Mowing, harvest and drought are not included: they are part of the
 * season and the weather.
 */
export type EventKind =
  | 'clearing'
  | 'fire'
  | 'flood'
  | 'construction'
  | 'reservoir'
  | 'planting'
  | 'subsidence';

/** One planted event: the ground truth for comparison with results. */
export interface PlantedEvent {
  readonly id: string;
  readonly kind: EventKind;
  /** Affected pixels, ascending. */
  readonly pixels: Uint32Array;
  /** First day on which each of `pixels` is affected. */
  readonly since: Int32Array;
  /** First day on which the ground is as before the event; null for a permanent change. */
  readonly until: number | null;
}

interface Plan {
  readonly kind: EventKind;
  readonly col: number;
  readonly row: number;
  /** Approximate number of pixels from the middle to the rim. */
  readonly radius: number;
  readonly day: number;
  /** Number of days from the first affected pixel to the last. */
  readonly spread: number;
  readonly until?: number;
}

const PLANS: readonly Plan[] = [
  { kind: 'clearing', col: 236, row: 60, radius: 8, day: dayOf(2024, 2, 12), spread: 9 },
  { kind: 'clearing', col: 262, row: 205, radius: 4, day: dayOf(2024, 4, 22), spread: 3 },
  { kind: 'clearing', col: 214, row: 268, radius: 2, day: dayOf(2024, 3, 10), spread: 1 },
  { kind: 'fire', col: 250, row: 130, radius: 22, day: dayOf(2024, 8, 5), spread: 12 },
  { kind: 'construction', col: 122, row: 150, radius: 6, day: dayOf(2024, 3, 18), spread: 60 },
  { kind: 'construction', col: 100, row: 218, radius: 4, day: dayOf(2024, 5, 27), spread: 40 },
  { kind: 'reservoir', col: 180, row: 96, radius: 8, day: dayOf(2024, 4, 8), spread: 50 },
  { kind: 'planting', col: 150, row: 240, radius: 7, day: dayOf(2023, 4, 1), spread: 5 },
  {
    kind: 'flood',
    col: 90,
    row: 105,
    radius: 26,
    day: dayOf(2024, 10, 5),
    spread: 2,
    until: dayOf(2024, 10, 27),
  },
  { kind: 'subsidence', col: 95, row: 165, radius: 20, day: dayOf(2023, 7, 1), spread: 0 },
];

const FLOOD_YEARS = 200; // return period of the planted flood [years]
const LIVE_EVERY = 24; // mean number of simulated days between events after the history
/** First day after the history that every installation contains from the start: 2025-01-01. */
export const LIVE_FROM = dayOf(2025, 1, 1);

/** Land covers on which each kind of event may happen. */
const GROUND: Readonly<Record<EventKind, readonly number[]>> = {
  clearing: [COVER.forest],
  fire: [COVER.forest, COVER.grass],
  construction: [COVER.grass, COVER.crops, COVER.forest],
  reservoir: [COVER.grass, COVER.crops, COVER.forest, COVER.bare],
  planting: [COVER.grass, COVER.crops],
  flood: [COVER.grass, COVER.crops],
  subsidence: [COVER.built, COVER.grass, COVER.crops, COVER.forest, COVER.bare],
};

/** Returns the events of the history, and the events that begin after it and before the day `before`. */
export function plantEvents(
  seed: number,
  ground: Ground,
  land: Land,
  before: number,
): readonly PlantedEvent[] {
  const taken = new Set<number>();
  const plans = [...PLANS, ...livePlans(seed, land, before)];
  return plans.flatMap((plan, number) => {
    const event = plant(seed, ground, land, plan, number, taken);
    if (event.pixels.length === 0) return [];
    if (plan.kind !== 'subsidence') for (const pixel of event.pixels) taken.add(pixel);
    return [event];
  });
}

/** Plans the clearings, fires and building sites that begin after the history and before the day `before`. */
function livePlans(seed: number, land: Land, before: number): Plan[] {
  const { width, height } = SANDBOX_GRID;
  const plans: Plan[] = [];
  for (let turn = 0; ; turn++) {
    const day = LIVE_FROM + 6 + turn * LIVE_EVERY + Math.floor(uniform(seed, 31, turn) * LIVE_EVERY * 0.6);
    if (day >= before) return plans;
    const kind = (['clearing', 'construction', 'clearing', 'fire'] as const)[hash(seed, 32, turn) % 4]!;
    const pixel = hash(seed, 33, turn) % (width * height);
    const near = nearestOf(land, GROUND[kind], pixel);
    plans.push({
      kind,
      col: near % width,
      row: Math.floor(near / width),
      radius: kind === 'fire' ? 9 : 3 + (hash(seed, 34, turn) % 4),
      day,
      spread: kind === 'fire' ? 5 : 3,
    });
  }
}

/**
 * First pixel, starting at `from` in row-major order, whose land cover is one of `covers`; `from` if there is
 * none.
 */
function nearestOf(land: Land, covers: readonly number[], from: number): number {
  const count = land.cover.length;
  for (let step = 0; step < count; step++) {
    const pixel = (from + step) % count;
    if (covers.includes(land.cover[pixel]!)) return pixel;
  }
  return from;
}

/**
 * Plants an event: a blob with an irregular rim, whose pixels are affected from the middle outwards. A fire spreads
 * farther uphill, a reservoir fills low ground, and a flood is limited to the flood map of return period FLOOD_YEARS.
 */
function plant(
  seed: number,
  ground: Ground,
  land: Land,
  { kind, col, row, radius, day, spread, until }: Plan,
  number: number,
  taken: ReadonlySet<number>,
): PlantedEvent {
  const { width, height } = SANDBOX_GRID;
  const { elevationM } = ground;
  const middle = row * width + col;
  const floodM = riverFlood(ground, FLOOD_YEARS);
  const found: { pixel: number; since: number }[] = [];
  const reach = Math.ceil(radius * 1.6);
  for (let r = Math.max(0, row - reach); r <= Math.min(height - 1, row + reach); r++) {
    for (let c = Math.max(0, col - reach); c <= Math.min(width - 1, col + reach); c++) {
      const pixel = r * width + c;
      if (taken.has(pixel) || !GROUND[kind].includes(land.cover[pixel]!)) continue;
      if (kind === 'flood' && floodM(pixel) === 0) continue;
      const angle = bearing(r - row, c - col);
      const rim = 1 + 0.22 * sine(3 * angle + number) + 0.14 * sine(5 * angle + 2 * number);
      const lift = (elevationM[pixel]! - elevationM[middle]!) / 60;
      const lean = kind === 'fire' ? -0.25 * lift : kind === 'reservoir' ? 1.2 * lift : 0;
      const distance = hypotenuse(r - row, c - col) / (radius * rim) + lean;
      if (distance > 1) continue;
      const ragged = 0.1 * uniform(seed, 35, number, pixel);
      found.push({ pixel, since: day + Math.round(spread * Math.max(0, Math.min(1, distance - ragged))) });
    }
  }
  return {
    id: `${kind}-${number + 1}`,
    kind,
    pixels: Uint32Array.from(found, ({ pixel }) => pixel),
    since: Int32Array.from(found, ({ since }) => since),
    until: until ?? null,
  };
}

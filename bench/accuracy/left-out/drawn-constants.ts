import { PARAMETERS } from '../../../src/change/parameters.ts';
import { DAY_MS } from '../../../src/base/time.ts';
import type { Random } from '../../calibration/simulated-case.ts';

/** Constants of the departures and of their confirmation, by name. `confirmAfterMs.likes` is a member of a group. */
export type Constants = Readonly<Record<string, number>>;

/**
 * Ranges within which each constant is drawn. They are the ranges that were tried when the constants were chosen
 * (src/change/parameters.ts), or a fourth less to a third more where none was noted.
 */
const RANGES: Readonly<Record<string, readonly [low: number, high: number]>> = {
  suspectCusum: [3, 5],
  plainCusum: [5, 8],
  certainCusum: [14, 20],
  cusumSlack: [0.75, 1.33],
  cusumClip: [3.5, 6],
  plainFloors: [2.4, 4.3],
  certainFloors: [3.6, 6.4],
  dormantShare: [0.5, 0.7],
  onsetLevel: [0.5, 0.9],
  deepFloors: [3, 5.3],
  plainRun: [3, 4],
  jointPixels: [2, 4],
  evidentPixels: [3, 8],
  'evidentAfterMs.beyond': [22 * DAY_MS, 40 * DAY_MS],
  'evidentAfterMs.within': [34 * DAY_MS, 60 * DAY_MS],
  'confirmAfterMs.harmonic': [68 * DAY_MS, 120 * DAY_MS],
  'confirmAfterMs.beyond': [45 * DAY_MS, 80 * DAY_MS],
  'confirmAfterMs.likes': [60 * DAY_MS, 90 * DAY_MS],
  beyondFloors: [0.75, 1.33],
  steadyFloors: [1.9, 3.3],
  youngFitFloors: [3, 5.3],
  perennialShare: [0.6, 0.8],
  returnedSeason: [0.5, 0.75],
  returnedShare: [0.4, 0.65],
};
const MOVED = 0.25; // probability that a constant is moved: 6 of 24 at a time
const WHOLE: ReadonlySet<string> = new Set(['plainRun', 'jointPixels', 'evidentPixels']); // numbers of observations and pixels

/**
 * Draws constants: each is moved with a probability of a quarter, evenly over the logarithm of its range, else it is that
 * of the release, as when one step of development chose a few of them.
 */
export function drawConstants(random: Random): Constants {
  const drawn = Object.entries(shippedConstants()).map(([name, shipped]) => {
    const isMoved = random.uniform() < MOVED;
    const part = random.uniform();
    if (!isMoved) return [name, shipped] as const;
    const [low, high] = RANGES[name]!;
    const value = WHOLE.has(name)
      ? Math.floor(low + part * (high - low + 1))
      : Number((low * (high / low) ** part).toPrecision(3));
    return [name, value] as const;
  });
  return Object.fromEntries(drawn);
}

/** The constants of the release. */
export function shippedConstants(): Constants {
  return Object.fromEntries(
    Object.keys(RANGES).map((name) => {
      const { group, key } = placeOf(name);
      return [name, group[key]!];
    }),
  );
}

/** Runs something with other constants in the monitor, in this process, and puts the constants of before back. */
export function withConstants<T>(constants: Constants, run: () => T): T {
  const before = Object.keys(constants).map((name) => {
    const { group, key } = placeOf(name);
    return { group, key, value: group[key]! };
  });
  try {
    for (const [name, value] of Object.entries(constants)) {
      const { group, key } = placeOf(name);
      group[key] = value;
    }
    return run();
  } finally {
    for (const { group, key, value } of before) group[key] = value;
  }
}

/** The object that holds a constant, and its key there. */
function placeOf(name: string): { readonly group: Record<string, number>; readonly key: string } {
  const [first, second] = name.split('.') as [string, string?];
  const all = PARAMETERS as unknown as Record<string, number> & Record<string, Record<string, number>>;
  const place =
    second === undefined
      ? { group: all as Record<string, number>, key: first }
      : { group: all[first]!, key: second };
  if (typeof place.group[place.key] !== 'number')
    throw new RangeError(`${name} is no constant of the monitor`);
  return place;
}

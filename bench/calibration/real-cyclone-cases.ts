import { join } from 'node:path';
import { readStorms } from '../../scripts/derive/storms.ts';
import {
  CycloneCounter,
  type CycloneGrid,
  WIND_RETURN_PERIODS,
} from '../../src/risk/storm/cyclone-climate.ts';
import type { TrackFix } from '../../src/risk/storm/cyclone-track.ts';
import { reducedVariate } from '../../src/risk/hazard-curve.ts';
import { cycloneCase } from './shipped-storm-cases.ts';
import type { Random, SimulatedCase } from './simulated-case.ts';

/** Best tracks of the Atlantic, 1975 to 2020 (HURDAT2); part of the package. */
const TRACKS = join(import.meta.dirname, '../../data/tables/atlantic-storms-1975-2020.csv');
const SEASONS = 46;
/** Grid from Central America to Newfoundland. Each cell is one place, so the grid is coarser than the shipped layer. */
const GRID: CycloneGrid = { width: 40, height: 34, step: 1, west: -98, north: 47 };
/** Number of random halves of the seasons. Places with the same half share its sampling error, so they are one unit. */
const SPLITS = 24;
/** Minimum number of pooled storms for a cyclone climate. */
const LEAST_STORMS = 2;
const FIELD_LOG_SPREAD = 0.08; // log spread of the error of the wind field: src/risk/storm/storm-hazard.ts

interface Split {
  readonly thinned: ReturnType<CycloneCounter['climate']>;
  readonly years: number;
}

/**
 * Places in the Atlantic basin. The layer comes from n seasons, a random half of all N = 46; the truth from all of
 * them. Layer and truth share storms, which makes the logarithm of their ratio too small: it is divided by
 * sqrt(1 - n/N). The error of the wind field, the windstorms and the building are random draws.
 */
export function openThinnedSeasons(): Promise<(random: Random) => SimulatedCase> {
  const seasons = Map.groupBy(readStorms(TRACKS), (fixes) => new Date(fixes[0]!.timeMs).getUTCFullYear());
  const whole = climateOf([...seasons.values()].flat(), SEASONS);
  const splits: Split[] = [];
  return Promise.resolve((random) => {
    if (splits.length < SPLITS) splits.push(splitOf(seasons, random));
    const split = random.pick(splits);
    const { thinned, years } = split;
    const raise = 1 / Math.sqrt(1 - years / SEASONS);
    for (;;) {
      const cell = Math.floor(random.uniform() * whole.storms.length);
      const storms = thinned.storms[cell]!;
      if (!(storms >= LEAST_STORMS)) continue;
      const field = Math.exp(FIELD_LOG_SPREAD * random.normal());
      const said = thinned.levels.map((levels) => levels[cell]!);
      const truth = whole.levels.map((levels, i) => {
        const all = levels[cell]!;
        // If one of the two levels is 0, there is no ratio; the level of the whole record is then the truth.
        return field * (all > 0 && said[i]! > 0 ? said[i]! * (all / said[i]!) ** raise : all);
      });
      for (let i = 1; i < truth.length; i++) truth[i] = Math.max(truth[i]!, truth[i - 1]!);
      const lat = GRID.north - Math.floor(cell / GRID.width) * GRID.step;
      const lng = GRID.west + (cell % GRID.width) * GRID.step;
      const found = cycloneCase(random, {
        lat,
        lng,
        saidWind: between(said),
        trueWind: between(truth),
        storms,
      });
      return { ...found, unit: `${splits.indexOf(split)}` };
    }
  });
}

function climateOf(storms: readonly (readonly TrackFix[])[], years: number) {
  const counter = new CycloneCounter(GRID);
  for (const fixes of storms) counter.add(fixes);
  return counter.climate(years, WIND_RETURN_PERIODS);
}

function splitOf(seasons: ReadonlyMap<number, readonly (readonly TrackFix[])[]>, random: Random): Split {
  const drawn = [...seasons.values()]
    .map((storms) => ({ storms, at: random.uniform() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, SEASONS / 2);
  return {
    thinned: climateOf(
      drawn.flatMap(({ storms }) => storms),
      SEASONS / 2,
    ),
    years: SEASONS / 2,
  };
}

/** Interpolates levels, linear in the reduced variate; 0 below the first return period, constant above the last. */
function between(levels: readonly number[]): (returnPeriodYears: number) => number {
  const variates = WIND_RETURN_PERIODS.map(reducedVariate);
  return (T) => {
    const variate = reducedVariate(T);
    if (T < WIND_RETURN_PERIODS[0]) return 0;
    for (let i = 1; i < levels.length; i++) {
      if (variate > variates[i]!) continue;
      const t = (variate - variates[i - 1]!) / (variates[i]! - variates[i - 1]!);
      return levels[i - 1]! + t * (levels[i]! - levels[i - 1]!);
    }
    return levels.at(-1)!;
  };
}

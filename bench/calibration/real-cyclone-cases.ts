import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type ClassifiedFix, readBestTracks, tropicalParts } from '../../scripts/derive/best-tracks.ts';
import {
  CycloneCounter,
  type CycloneGrid,
  WIND_RETURN_PERIODS,
} from '../../src/risk/storm/cyclone-climate.ts';
import { reducedVariate } from '../../src/risk/hazard-curve.ts';
import { cycloneCase } from './shipped-storm-cases.ts';
import type { Random, SimulatedCase } from './simulated-case.ts';

/** Best tracks of all basins, 1980 to 2024 (IBTrACS). */
const TRACKS = join(
  import.meta.dirname,
  '../../../shared/data/global-cyclone-tracks/tracks_1980_2024.csv.gz',
);
const SEASONS = 45;
/**
 * Grids from Central America to Newfoundland, from Indochina to Japan, and from Madagascar to Fiji. Each cell is one
 * place, so the grids are coarser than the shipped layer.
 */
const GRIDS: readonly CycloneGrid[] = [
  { width: 40, height: 34, step: 1, west: -98, north: 47 },
  { width: 45, height: 36, step: 1, west: 100, north: 42 },
  { width: 70, height: 14, step: 2, west: 40, north: -4 },
];
/** Number of random halves of the seasons. Places with the same half share its sampling error, so they are one unit. */
const SPLITS = 24;
/** Minimum number of pooled storms for a cyclone climate. */
const LEAST_STORMS = 2;
const FIELD_LOG_SPREAD = 0.12; // log spread of the error of the wind field: src/risk/storm/storm-hazard.ts

type Climate = ReturnType<CycloneCounter['climate']>;
type Storms = readonly (readonly ClassifiedFix[])[];

interface Split {
  readonly thinned: readonly Climate[];
  readonly years: number;
}

/**
 * Places in three basins. The layer comes from n seasons, a random half of all N = 45; the truth from all of
 * them. Layer and truth share storms, which makes the logarithm of their ratio too small: it is divided by
 * sqrt(1 - n/N). The error of the wind field, the windstorms and the building are random draws.
 */
export function openThinnedSeasons(): Promise<((random: Random) => SimulatedCase) | null> {
  if (!existsSync(TRACKS)) return Promise.resolve(null);
  const storms = [...readBestTracks(gunzipSync(readFileSync(TRACKS)).toString()).values()];
  const seasons = Map.groupBy(storms, (fixes) => new Date(fixes[0]!.timeMs).getUTCFullYear());
  const whole = climatesOf(storms, SEASONS);
  const splits: Split[] = [];
  return Promise.resolve((random) => {
    if (splits.length < SPLITS) splits.push(splitOf(seasons, random));
    const split = random.pick(splits);
    const raise = 1 / Math.sqrt(1 - split.years / SEASONS);
    for (;;) {
      const g = random.pick([...GRIDS.keys()]);
      const [grid, thinned, all] = [GRIDS[g]!, split.thinned[g]!, whole[g]!];
      const cell = Math.floor(random.uniform() * all.storms.length);
      const stormCount = thinned.storms[cell]!;
      if (!(stormCount >= LEAST_STORMS)) continue;
      const field = Math.exp(FIELD_LOG_SPREAD * random.normal());
      const said = thinned.levels.map((levels) => levels[cell]!);
      const truth = all.levels.map((levels, i) => {
        const level = levels[cell]!;
        // If one of the two levels is 0, there is no ratio; the level of the whole record is then the truth.
        return field * (level > 0 && said[i]! > 0 ? said[i]! * (level / said[i]!) ** raise : level);
      });
      for (let i = 1; i < truth.length; i++) truth[i] = Math.max(truth[i]!, truth[i - 1]!);
      const found = cycloneCase(random, {
        lat: grid.north - Math.floor(cell / grid.width) * grid.step,
        lng: grid.west + (cell % grid.width) * grid.step,
        saidWind: between(said),
        trueWind: between(truth),
        storms: stormCount,
      });
      return { ...found, unit: `${splits.indexOf(split)}` };
    }
  });
}

function climatesOf(storms: Storms, years: number): Climate[] {
  return GRIDS.map((grid) => {
    const counter = new CycloneCounter(grid);
    for (const fixes of storms)
      if (fixes.some((fix) => isNear(grid, fix))) counter.add(...tropicalParts(fixes));
    return counter.climate(years, WIND_RETURN_PERIODS);
  });
}

/** Distance from a grid within which storms count [degrees]: winds reach 300 km, storms move 3 degrees in 6 hours. */
const NEAR_DEGREES = 6;

function isNear({ width, height, step, west, north }: CycloneGrid, { lat, lng }: ClassifiedFix): boolean {
  const east = (lng - west + 720 + NEAR_DEGREES) % 360;
  return (
    east <= width * step + 2 * NEAR_DEGREES &&
    lat <= north + NEAR_DEGREES &&
    lat >= north - height * step - NEAR_DEGREES
  );
}

function splitOf(seasons: ReadonlyMap<number, Storms>, random: Random): Split {
  const years = Math.floor(SEASONS / 2);
  const drawn = [...seasons.values()]
    .map((storms) => ({ storms, at: random.uniform() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, years);
  const storms = drawn.flatMap((season) => season.storms);
  return { thinned: climatesOf(storms, years), years };
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

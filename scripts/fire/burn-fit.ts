import type { FireRates } from './fire-rate-fit.ts';
import { expectedFires, fitFireRates } from './fire-rate-fit.ts';
import type { Fire, FireCell } from './fire-record.ts';
import { CELL_KM } from './fire-record.ts';
import { generator } from './ranking-skill.ts';

/** Prior or posterior of one coefficient: mean and standard deviation. */
export interface Belief {
  readonly mean: number;
  readonly spread: number;
}

/**
 * Prior of the log rate of each land use relative to the log rate of all land (our choice): means, and a common
 * standard deviation of 0.5, a factor of 1.6. Shrub burns most, then conifers and mixed woods, then broadleaves;
 * farmland and towns burn least. This is the order on burned land in Portugal (Nunes et al. 2005,
 * doi:10.1007/s10980-005-0070-8; Barros & Pereira 2014, doi:10.1371/journal.pone.0084760).
 */
const USE_SPREAD = 0.5;
export const USE_MEANS = [-1, -0.5, -0.3, 0, 0.4, 0.4, 0, 0.7, 0.7];

/** Pooled land uses, because WorldCover does not distinguish the record's kinds of forest or its two kinds of shrub. */
export const POOLED = ['built-up', 'cropland', 'grassland', 'tree cover', 'shrubland'] as const;
export const POOLS = [0, 1, 2, 3, 3, 3, 2, 4, 4];
export const POOL_MEANS = [-1, -0.5, -0.1, 0.25, 0.7];

/**
 * Prior of the effect of slope on the log rate [1/degree]. The rate of spread of a fire doubles every 10 degrees
 * (McArthur 1967: 0.069 per degree). The probability of burning increases less: the prior mean is half of 0.069, with a
 * standard deviation as large as the mean (our choice).
 */
const SLOPE: Belief = { mean: 0.035, spread: 0.035 };

/**
 * Standard deviation of the difference between the log rate of ignitions on a land use and its log rate of burning
 * (our choice). People start fires near fields and houses, and these fires then burn the scrub nearby. The record
 * only has the places of ignition.
 */
const START_SPREAD = 0.3;

/** Side of the blocks of the bootstrap and of the spatial hold-out [cells]. */
export const BLOCK_CELLS = 5;

/** Number of fires in each cell for which `keep` is true. */
export function countsOf(of: readonly FireCell[], keep: (fire: Fire) => boolean): number[] {
  return of.map((cell) => cell.fires.filter(keep).length);
}

/** Name of the block that contains a cell. */
export function blockOf(cell: FireCell): string {
  return `${Math.floor(cell.column / BLOCK_CELLS)},${Math.floor(cell.row / BLOCK_CELLS)}`;
}

/** Log rate of each land use relative to the rate of all land, and then the effect of the slope. */
export type Coefficients = readonly number[];

/** Coefficients fitted to the data alone, without the prior. */
export function coefficientsOf(
  of: readonly FireCell[],
  keep: (fire: Fire) => boolean,
  groups?: readonly number[],
): Coefficients {
  const observed = countsOf(of, keep);
  const chosen = of.map(({ fires }) => fires.filter(keep).flatMap(({ part }) => part ?? []));
  const { logRates, slopeEffect } = fitFireRates(of, observed, chosen, 1, groups);
  const mean = Math.log(observed.reduce((sum, n) => sum + n, 0) / of.length / CELL_KM ** 2);
  return [...logRates.map((rate) => rate - mean), slopeEffect];
}

/** Posterior of each coefficient. Its mean is the mean of prior and data, weighted by their precisions. */
export function posteriorOf(
  found: Coefficients,
  errors: readonly number[],
  means: readonly number[],
): Belief[] {
  return found.map((value, i) => {
    const prior = i < means.length ? { mean: means[i]!, spread: USE_SPREAD } : SLOPE;
    const data = 1 / (errors[i]! ** 2 + (i < means.length ? START_SPREAD ** 2 : 0));
    const precision = data + prior.spread ** -2;
    return {
      mean: (value * data + prior.mean * prior.spread ** -2) / precision,
      spread: precision ** -0.5,
    };
  });
}

/** Rates from the posterior means, scaled so that the expected total equals the observed number of fires. */
export function ratesOf(
  beliefs: readonly Belief[],
  cells: readonly FireCell[],
  observed: number,
  years: number,
): FireRates {
  const logRates = beliefs.slice(0, -1).map((belief) => belief.mean);
  const unscaled = { logRates, slopeEffect: beliefs.at(-1)!.mean };
  const level = Math.log(
    observed / cells.reduce((sum, cell) => sum + expectedFires(cell, unscaled, years), 0),
  );
  return { ...unscaled, logRates: logRates.map((rate) => rate + level) };
}

/** Standard deviation of each coefficient over bootstrap draws of whole blocks. */
export function standardErrors(
  cells: readonly FireCell[],
  draws: number,
  fit: (drawn: readonly FireCell[]) => Coefficients,
): number[] {
  const blocks = [...Map.groupBy(cells, blockOf).values()];
  const random = generator(1998);
  const drawn = Array.from({ length: draws }, () =>
    fit(blocks.flatMap(() => blocks[Math.floor(random() * blocks.length)]!)),
  );
  return drawn[0]!.map((_, i) => {
    const values = drawn.map((draw) => draw[i]!);
    const mean = values.reduce((sum, v) => sum + v, 0) / draws;
    return Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / (draws - 1));
  });
}

/**
 * Gamma shape of the rates of single cells around the expected rates, by maximum likelihood of the negative binomial.
 */
export function gammaShape(
  cells: readonly FireCell[],
  rates: FireRates,
  years: number,
  keep: (fire: Fire) => boolean,
): number {
  const observed = countsOf(cells, keep);
  let best = { shape: 0, likelihood: -Infinity };
  for (let shape = 0.05; shape < 20; shape *= 1.02) {
    let likelihood = 0;
    for (const [c, cell] of cells.entries()) {
      const expected = expectedFires(cell, rates, years);
      for (let k = 0; k < observed[c]!; k++) likelihood += Math.log((shape + k) / (shape + expected));
      likelihood += observed[c]! * Math.log(expected) + shape * Math.log(shape / (shape + expected));
    }
    if (likelihood > best.likelihood) best = { shape, likelihood };
  }
  return best.shape;
}

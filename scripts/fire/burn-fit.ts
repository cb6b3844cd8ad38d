import type { FireRates } from './fire-rate-fit.ts';
import { expectedFires, fitFireRates } from './fire-rate-fit.ts';
import type { Fire, FireCell } from './fire-record.ts';
import { CELL_KM } from './fire-record.ts';
import { generator } from './ranking-skill.ts';

/** A belief about one coefficient before the data: mean and standard deviation. */
export interface Belief {
  readonly mean: number;
  readonly spread: number;
}

/**
 * Log rates about that of all land before the data (ours): shrub burns most, conifers and mixed woods before broadleaves,
 * farmland and towns least, the order found on burned land in Portugal (Nunes et al. 2005, doi:10.1007/s10980-005-0070-8;
 * Barros & Pereira 2014, doi:10.1371/journal.pone.0084760), each within a factor of 1.6.
 */
const USE_SPREAD = 0.5;
export const USE_MEANS = [-1, -0.5, -0.3, 0, 0.4, 0.4, 0, 0.7, 0.7];

/** WorldCover cannot tell the record's forests or its two shrubs apart: pooled classes, by position in LAND_USES. */
export const POOLED = ['built-up', 'cropland', 'grassland', 'tree cover', 'shrubland'] as const;
export const POOLS = [0, 1, 2, 3, 3, 3, 2, 4, 4];
export const POOL_MEANS = [-1, -0.5, -0.1, 0.25, 0.7];

/**
 * Rate of spread doubles every 10 degrees (McArthur 1967: 0.069/degree); that a place burns grows less than that, so half of
 * it, as uncertain as large (ours).
 */
const SLOPE: Belief = { mean: 0.035, spread: 0.035 };

/**
 * How far the log rate of land that fires start on may lie from that of land that burns (ours): people light fires beside
 * fields and houses, and they burn the scrub beyond. The record has starts only.
 */
const START_SPREAD = 0.3;

/** Side of the blocks of the bootstrap and of the spatial hold-out [cells]. */
export const BLOCK_CELLS = 5;

/** Fires of each cell that are kept. */
export function countsOf(of: readonly FireCell[], keep: (fire: Fire) => boolean): number[] {
  return of.map((cell) => cell.fires.filter(keep).length);
}

/** Name of the block that a cell lies in. */
export function blockOf(cell: FireCell): string {
  return `${Math.floor(cell.column / BLOCK_CELLS)},${Math.floor(cell.row / BLOCK_CELLS)}`;
}

/** Coefficients, the slope's last: log rates about that of all land. */
export type Coefficients = readonly number[];

/** Coefficients by the data alone. */
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

/** What to believe after the data, coefficient by coefficient: means weighted by precision. */
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

/** Rates of the mean belief, at the level of what was observed. */
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

/** Gamma shape of the cells' own rates about the expected ones, by maximum likelihood of the negative binomial. */
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

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CELL_KM, readFireRecord, YEARS } from '../../scripts/fire/fire-record.ts';
import type { Random, SimulatedCase } from './simulated-case.ts';
import { fireCase, gamma } from './wildfire-cases.ts';

const FOLDER = join(import.meta.dirname, '../../../shared/data/castilla-la-mancha-fires');

/** CORINE codes of the land uses of the record, in the order of the record. */
const CORINE = [112, 211, 231, 311, 312, 313, 321, 322, 324] as const;
/** Mean size of a fire in Castilla-La Mancha [km2]: data/tables/burn-probability.csv. */
const FIRE_KM2 = 0.21;
/**
 * Log spread of the mean size between regions (src/risk/wildfire/burn-rate.ts). Each case draws from it, because the
 * model's mean size was fitted to this region and would otherwise have no error.
 */
const FIRE_SIZE = 0.7;
/** Shape of the gamma law of local fire rates: data/tables/burn-probability.csv. */
const LOCAL_SHAPE = 0.4686;
/** Ratio of the variance of fire counts to their mean: src/risk/wildfire/burn-rate.ts. */
const DISPERSION = 1.6;
/**
 * Side of a tile [cells]: 50 km, as in the fit. The places in a tile share their years with many fires, so they are
 * one unit.
 */
const TILE = 5;
const THINNED_YEARS = YEARS / 2;
const CELL_KM2 = CELL_KM ** 2;

/**
 * Places in Castilla-La Mancha. The true rate is drawn from its posterior, given the fires of a cell in all ten years.
 * The model gets the number of fires in five of these years, and five years as the length of the record. Null when the
 * record of fires is absent.
 */
export function openThinnedFires(): Promise<((random: Random) => SimulatedCase) | null> {
  if (!existsSync(FOLDER)) return Promise.resolve(null);
  const cells = readFireRecord(FOLDER).cells.filter(({ parts }) => parts.length > 0);
  const mean = cells.reduce((sum, { fires }) => sum + fires.length, 0) / cells.length / CELL_KM2 / YEARS;
  return Promise.resolve((random) => {
    const { column, row, fires, parts } = random.pick(cells);
    const { use, slope } = random.pick(parts);
    // Posterior of the rate: the gamma prior of the region, updated by the whole record of the cell.
    const shape = LOCAL_SHAPE + fires.length / DISPERSION;
    const frequency = gamma(shape, random) / (LOCAL_SHAPE / mean + (CELL_KM2 * YEARS) / DISPERSION);
    const first = Math.floor(random.between(0, YEARS));
    const seen = fires.filter(({ year }) => (year - first + 10 * YEARS) % YEARS < THINNED_YEARS).length;
    const made = fireCase(random, 'fire-frequency', {
      rate: frequency * FIRE_KM2 * Math.exp(FIRE_SIZE * random.normal() - FIRE_SIZE ** 2 / 2),
      cover: CORINE[use]!,
      slope,
      record: [
        ['fire-record-years', null, THINNED_YEARS],
        ['fire-frequency', null, seen / CELL_KM2 / THINNED_YEARS],
      ],
    });
    return { ...made, unit: `${Math.floor(column / TILE)},${Math.floor(row / TILE)}` };
  });
}

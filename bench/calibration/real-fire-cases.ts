import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CELL_KM, readFireRecord, YEARS } from '../../scripts/fire/fire-record.ts';
import type { Random, SimulatedCase } from './simulated-case.ts';
import { fireCase, gamma } from './wildfire-cases.ts';

const FOLDER = join(import.meta.dirname, '../../../shared/data/castilla-la-mancha-fires');

/** CORINE codes of the record's land uses, in their order. */
const CORINE = [112, 211, 231, 311, 312, 313, 321, 322, 324] as const;
/** The mean fire there [km2], and the shape of places' own rates about their mean: data/tables/burn-probability.csv. */
const FIRE_KM2 = 0.21;
/** Log spread of that between regions: drawn, since the model's own mean is from here (src/risk/wildfire/burn-rate.ts). */
const FIRE_SIZE = 0.7;
const LOCAL_SHAPE = 0.4686;
/** Variance of counts over their mean: src/risk/wildfire/burn-rate.ts. */
const DISPERSION = 1.6;
/** Cells along a tile whose places share their years: 50 km, as in the fit. */
const TILE = 5;
const THINNED_YEARS = YEARS / 2;
const CELL_KM2 = CELL_KM ** 2;

/**
 * Places of Castilla-La Mancha: the rate is drawn from what all ten years of a cell say, the model sees the number of fires in
 * five of them and is told so; null where the record is absent.
 */
export function openThinnedFires(): Promise<((random: Random) => SimulatedCase) | null> {
  if (!existsSync(FOLDER)) return Promise.resolve(null);
  const cells = readFireRecord(FOLDER).cells.filter(({ parts }) => parts.length > 0);
  const mean = cells.reduce((sum, { fires }) => sum + fires.length, 0) / cells.length / CELL_KM2 / YEARS;
  return Promise.resolve((random) => {
    const { column, row, fires, parts } = random.pick(cells);
    const { use, slope } = random.pick(parts);
    // the region's gamma prior, updated by the whole record
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

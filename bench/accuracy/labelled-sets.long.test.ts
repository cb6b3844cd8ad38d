import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LABELLED_SETS } from './all-sets.ts';

/** Sets that take too long for a test; only the benchmark measures them. Tura is also tested in src/change. */
const SLOW = new Set([
  'portugal-burned-areas',
  'rondonia-bound',
  'tura-landsat-ndvi',
  'conversions',
  'conversions-report',
  'harmless',
  'passing',
  'reliability',
  'para-modis-deforestation',
]);

/** Sets with targets that the monitor does not reach yet; the benchmark shows by how much. */
const UNREACHED = new Set(['matogrosso-modis-conversion', 'farmland-year']);

describe('labelled sets reach their targets (each set’s README names its source)', () => {
  for (const set of LABELLED_SETS) {
    if (SLOW.has(set.name) || UNREACHED.has(set.name)) continue;
    const skip = set.isPresent() ? false : `../shared/data/${set.name} is not here`;
    test(set.name, { skip }, async (t) => {
      const figures = (await set.measure({ plots: false, seed: 1 })).filter(({ holds }) => holds !== null);
      for (const { what, found, target, holds } of figures) {
        await t.test(`${what}: ${target}`, () => assert.ok(holds, `found ${found}`));
      }
    });
  }
});

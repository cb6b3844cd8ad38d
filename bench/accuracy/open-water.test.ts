import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOpenWater } from './open-water.ts';

test('Zou et al. 2018: spectra of clear water, muddy water, forest, bare soil and green floating plants', () => {
  const clear = { blue: 0.05, green: 0.06, red: 0.04, nir: 0.02, swir1: 0.01 };
  const muddy = { blue: 0.1, green: 0.13, red: 0.14, nir: 0.1, swir1: 0.05 };
  const forest = { blue: 0.03, green: 0.05, red: 0.03, nir: 0.35, swir1: 0.15 };
  const soil = { blue: 0.1, green: 0.14, red: 0.2, nir: 0.28, swir1: 0.35 };
  const floating = { blue: 0.04, green: 0.08, red: 0.04, nir: 0.3, swir1: 0.05 };
  assert.deepEqual([clear, muddy, forest, soil, floating].map(isOpenWater), [
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('a pixel with a missing or negative band is neither water nor land', () => {
  const clear = { blue: 0.05, green: 0.06, red: 0.04, nir: 0.02, swir1: 0.01 };
  assert.equal(isOpenWater({ ...clear, swir1: Number.NaN }), null);
  assert.equal(isOpenWater({ ...clear, red: -0.01 }), null);
  assert.equal(isOpenWater({ ...clear, nir: 0, red: 0 }), null);
});

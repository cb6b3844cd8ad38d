import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalisedDifference, type SpectralIndex, spectralIndex } from './spectral-index.ts';

const bands = { green: [0.1], red: [0.05], nir: [0.45], swir1: [0.2], swir2: [0.15] };

test('each index is the normalised difference of its published bands', () => {
  const expected: Record<SpectralIndex, number> = {
    ndvi: 0.4 / 0.5,
    nbr: 0.3 / 0.6,
    ndmi: 0.25 / 0.65,
    mndwi: -0.1 / 0.3,
    ndbi: -0.25 / 0.65,
  };
  for (const [name, value] of Object.entries(expected)) {
    const [got] = spectralIndex(name as SpectralIndex, bands);
    assert.ok(Math.abs(got! - value) < 1e-7, `${name}: ${got}`);
  }
});

test('the index is NaN where reflectance is invalid', () => {
  const a = [0.2, Number.NaN, 0, -0.01, Infinity, 0, 1];
  const b = [Number.NaN, 0.2, 0, 0.2, 0.1, 0.3, 0];
  const index = normalisedDifference(a, b);
  assert.deepEqual([...index], [NaN, NaN, NaN, NaN, NaN, -1, 1]);
});

test('bands of different length and missing bands are refused', () => {
  assert.throws(() => normalisedDifference([1, 2], [1]), RangeError);
  assert.throws(() => normalisedDifference([1], [1], new Float32Array(2)), RangeError);
  assert.throws(() => spectralIndex('nbr', { nir: [0.1] }), /nbr needs the bands nir and swir2/);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isUnitOf, LAYER_KINDS, layerKind } from './layer-kinds.ts';
import { RISK_MODELS } from './models.ts';

test('every layer that a model asks for is known, with its unit', () => {
  for (const model of Object.values(RISK_MODELS)) {
    for (const layer of model.layers) assert.ok(layerKind(layer), `${model.peril} asks for ${layer}`);
  }
});

test('the shipped layers have the units, values and return periods of their kinds', () => {
  const catalogue = new URL('../../data/layers/catalogue.json', import.meta.url);
  const { layers } = JSON.parse(readFileSync(catalogue, 'utf8')) as {
    readonly layers: readonly {
      readonly layer: string;
      readonly unit: string;
      readonly interpolation: string;
      readonly returnPeriodYears: number | null;
    }[];
  };
  assert.ok(layers.length > 0);
  for (const { layer, unit, interpolation, returnPeriodYears } of layers) {
    const kind = layerKind(layer);
    assert.ok(kind !== undefined && isUnitOf(kind, unit), layer);
    assert.equal(interpolation, kind.stepwise === true ? 'nearest' : 'bilinear', layer);
    if (kind.returnPeriod !== 'either') {
      assert.equal(returnPeriodYears !== null, kind.returnPeriod === 'required', layer);
    }
  }
});

test('each kind has a non-empty range, and unknown names are undefined', () => {
  for (const [name, { range, unit }] of Object.entries(LAYER_KINDS))
    assert.ok(range[0] < range[1] && unit !== '', name);
  assert.equal(layerKind('toString'), undefined);
  assert.equal(layerKind('elevaton'), undefined);
});

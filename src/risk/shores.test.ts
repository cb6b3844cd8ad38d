import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LayerMeta, LayerReading } from './assessment.ts';
import { RISK_MODELS } from './models.ts';
import { Shores } from './shores.ts';

/** Layers that tell land from water. */
const SHORE_LAYERS = ['coast-distance', 'lake-distance', 'permanent-water'] as const;

type Values = Partial<Record<(typeof SHORE_LAYERS)[number], number>>;

const CARDS: readonly LayerMeta[] = SHORE_LAYERS.map((layer) => ({
  layer,
  version: 'v1',
  unit: 'km',
  returnPeriodYears: null,
  resolutionM: 4638,
  date: '2020-01-01',
  licence: 'public domain',
  source: 'test',
}));

function readings(values: Values): LayerReading[] {
  return SHORE_LAYERS.map((layer) => {
    const value = values[layer];
    return value === undefined ? { ok: false, reason: 'nodata' } : { ok: true, value };
  });
}

const ground = (values: Values, isLandShown = false) => new Shores(CARDS).at(readings(values), isLandShown);

test('every model reads the layers that tell land from water', () => {
  for (const { peril, layers } of Object.values(RISK_MODELS))
    for (const layer of SHORE_LAYERS) assert.ok(layers.includes(layer), `${peril} reads no ${layer}`);
});

test('lakes, permanent water and the open sea are told from land, with their tolerances', () => {
  assert.equal(ground({ 'coast-distance': 80, 'lake-distance': 0 }), 'land');
  assert.equal(ground({ 'coast-distance': 80, 'lake-distance': 2.9 }), 'land');
  assert.equal(ground({ 'coast-distance': 80, 'lake-distance': 3.1 }), 'water');
  assert.equal(ground({ 'coast-distance': 80, 'lake-distance': 0, 'permanent-water': 1 }), 'water');
  assert.equal(ground({ 'coast-distance': 80, 'lake-distance': 0, 'permanent-water': 0 }), 'land');
  assert.equal(ground({ 'coast-distance': -3.4, 'lake-distance': 0 }), 'land');
  assert.equal(ground({ 'coast-distance': -3.6, 'lake-distance': 0 }), 'unmapped');
  assert.equal(ground({ 'coast-distance': -3.6, 'permanent-water': 1 }), 'water');
});

test('where a layer is absent, what the others show counts', () => {
  assert.equal(ground({}), 'unknown');
  assert.equal(ground({ 'lake-distance': 0 }), 'unknown');
  assert.equal(ground({ 'lake-distance': 8 }), 'water');
  assert.equal(ground({ 'coast-distance': 5 }), 'land');
});

test('a map that shows land outweighs the coarse shores, not permanent water', () => {
  assert.equal(ground({ 'coast-distance': -20 }, true), 'land');
  assert.equal(ground({ 'coast-distance': 80, 'lake-distance': 8 }, true), 'land');
  assert.equal(ground({ 'coast-distance': 80, 'permanent-water': 1 }, true), 'water');
});

test('an answer for land says which shores no layer maps there', () => {
  const shores = new Shores(CARDS);
  assert.deepEqual(shores.doubts(readings({ 'coast-distance': 80, 'lake-distance': 0 })), []);
  const told = shores.doubts(readings({ 'coast-distance': 80 }));
  assert.deepEqual(told, [
    { code: 'nodata', message: 'no lake-distance here: a lake is not told from land' },
  ]);
  assert.equal(shores.doubts(readings({})).length, 2);
  assert.deepEqual(shores.doubts(readings({ 'coast-distance': 80, 'permanent-water': 0 })), []);
});

/** Layers that give each model an answer as on land. */
const LAND: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  flood: { elevation: 3, 'height-above-water': 3, 'water-distance': 9 },
  storm: { 'inland-gust': 36 },
  wildfire: { 'fire-climate': -3, 'fire-climate-loss': -1, 'fire-climate-severity': 1 },
  subsidence: { 'subsiding-share': 0.1, 'subsiding-speed': 8 },
};

for (const model of Object.values(RISK_MODELS))
  test(`${model.peril} answers land by its own layers, lakes and the sea by the shores, and names an absent lake layer`, () => {
    const cards = model.layers.map((layer) => ({ ...CARDS[0]!, layer, unit: '1' }));
    const at = (values: Readonly<Record<string, number>>) =>
      model.prepare(cards).explain(
        cards.map(({ layer }): LayerReading => {
          const value = values[layer];
          return value === undefined ? { ok: false, reason: 'outside' } : { ok: true, value };
        }),
        46.45,
        6.55,
      );
    const land = { ...LAND[model.peril], 'coast-distance': 60, 'lake-distance': 0 };
    assert.ok(at(land).confidence > 0);
    const lake = at({ ...land, 'lake-distance': 4 });
    assert.deepEqual([lake.confidence, lake.reasons.map(({ code }) => code)], [0, ['sea']]);
    const sea = at({ ...land, 'coast-distance': -9 });
    assert.deepEqual([sea.confidence, sea.reasons.map(({ code }) => code)], [0, ['unmapped']]);
    const { 'lake-distance': _, ...without } = land;
    const unsure = at(without);
    assert.ok(unsure.confidence > 0);
    assert.ok(unsure.reasons.some(({ message }) => message.includes('a lake is not told from land')));
  });

test('a coarse land cover shows no land, so an absent lake layer is named', () => {
  const model = RISK_MODELS.wildfire;
  const cards = model.layers.map((layer) => ({ ...CARDS[0]!, layer, unit: '1', resolutionM: 5000 }));
  const values: Readonly<Record<string, number>> = {
    ...LAND['wildfire'],
    'coast-distance': 60,
    'land-cover': 10,
  };
  const { reasons } = model.prepare(cards).explain(
    cards.map(({ layer }): LayerReading => {
      const value = values[layer];
      return value === undefined ? { ok: false, reason: 'outside' } : { ok: true, value };
    }),
    46.45,
    6.55,
  );
  assert.ok(reasons.some(({ message }) => message.includes('a lake is not told from land')));
});

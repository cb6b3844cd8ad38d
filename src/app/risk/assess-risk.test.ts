import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERILS } from '../../contract/vocabulary.ts';
import { layerKind } from '../../risk/layer-kinds.ts';
import { assessPlace, assessPlaces, type Places } from './assess-risk.ts';
import type { LayerCard, LayerSnapshot } from './layer-reader.ts';

const COUNT = 400;
const YEARS = [10, 100] as const;

/** Pseudo-random number in [0, 1) from integers: an FNV-1a hash. */
function uniform(...words: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const letter of words.join()) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 12)) >>> 0) / 2 ** 32;
}

function cardsOf(layer: string): LayerCard[] {
  const periods = layerKind(layer)!.returnPeriod === 'required' ? YEARS : [null];
  return periods.map((returnPeriodYears) => ({
    layer,
    version: 'v1',
    unit: layerKind(layer)!.unit,
    returnPeriodYears,
    resolutionM: 90,
    date: '2024-01-01',
    licence: 'none',
    source: 'made up',
  }));
}

/** Layers whose values depend only on the place. An eighth of the places is nodata, another eighth outside the map. */
const SNAPSHOT: LayerSnapshot = {
  cards: cardsOf,
  coverage: () => [-180, -90, 180, 90],
  sample: () => assert.fail('the reader samples'),
  state: () => assert.fail('not asked'),
  reader: (cards) => (lngs, lats, into) => {
    for (const [c, { layer, returnPeriodYears }] of cards.entries())
      for (let i = 0; i < lngs.length; i++) {
        const luck = uniform(layer, lngs[i]!, lats[i]!);
        const value = layer === 'permanent-water' ? 0 : 8 * luck * (returnPeriodYears === 100 ? 1.5 : 1);
        into[c * lngs.length + i] = luck < 0.125 ? Number.NaN : luck < 0.25 ? Infinity : value;
      }
  },
};

const EVERYWHERE = Array.from({ length: COUNT }, (_, i) => ({
  peril: i % PERILS.length,
  lat: i < 4 ? 90 : i < 8 ? -90 : 180 * uniform('lat', i) - 90,
  lng: i % 50 < 2 ? 180 : i % 50 < 4 ? -180 : 360 * uniform('lng', i) - 180,
}));

function placesIn(order: readonly number[]): Places {
  const places = order.map((i) => EVERYWHERE[i]!);
  return {
    perils: Uint8Array.from(places, ({ peril }) => peril),
    lats: Float64Array.from(places, ({ lat }) => lat),
    lngs: Float64Array.from(places, ({ lng }) => lng),
  };
}

test('a batch in any order gives the same results as single assessments, with and without explanations', () => {
  const given = EVERYWHERE.map((_, i) => i);
  const orders = [
    given,
    given.toReversed(),
    ...[1, 2, 3].map((seed) => given.toSorted((a, b) => uniform(seed, a) - uniform(seed, b))),
  ];
  const scores = new Set<number>();
  for (const explain of [false, true]) {
    const alone = EVERYWHERE.map(({ lat, lng, peril }) =>
      assessPlace(SNAPSHOT, { lat, lng, peril: PERILS[peril]! }, explain),
    );
    for (const order of orders) {
      const { riskScores, confidences, explanations } = assessPlaces(SNAPSHOT, placesIn(order), explain);
      assert.equal(explanations === null, !explain);
      for (const [k, i] of order.entries()) {
        const { assessment, explanation } = alone[i]!;
        assert.deepEqual(
          [riskScores[k], confidences[k]],
          [assessment.riskScore, assessment.confidence],
          `${JSON.stringify(EVERYWHERE[i])} at ${k}`,
        );
        if (explain) assert.deepEqual(explanations![k], explanation);
        scores.add(assessment.riskScore);
      }
    }
  }
  assert.ok(scores.size > COUNT / 4, `${scores.size} different scores`);
});

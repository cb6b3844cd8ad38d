import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PERILS } from '../../src/contract/vocabulary.ts';
import { continentOf } from '../../src/risk/regions.ts';
import { answeredPlaces, highAgainstLow, PLACES, shareWithoutConfidence } from '../fixtures/risk-places.ts';
import { ShippedAnswers } from '../fixtures/shipped-answers.ts';

const LEAST_PLACES = 100;
/** Least probability that a place with level high scores above one with level low. */
const LEAST_AUC = 0.85;
/** Greatest share of the places at which an answer may have confidence 0. */
const GREATEST_WITHOUT_CONFIDENCE = 0.1;
/** Misplaced places of each level that a failure names. */
const NAMED = 8;

let answers: ShippedAnswers;
before(async () => {
  answers = await ShippedAnswers.open();
});
after(() => answers.close());

test('the list has at least 100 places on six continents, each with a source and a level', () => {
  assert.ok(new Set(PLACES.map(({ name }) => name)).size >= LEAST_PLACES);
  assert.equal(new Set(PLACES.map(({ lat, lng }) => continentOf(lat, lng))).size, 6);
  for (const place of PLACES) {
    assert.ok(PERILS.includes(place.peril) && ['high', 'low'].includes(place.level), place.name);
    assert.ok(
      place.source.length > 10 && Math.abs(place.lat) <= 90 && Math.abs(place.lng) <= 180,
      place.name,
    );
  }
  const keys = PLACES.map(({ name, peril }) => `${name} ${peril}`);
  assert.equal(new Set(keys).size, keys.length);
});

for (const peril of PERILS) {
  test(`${peril}: places with a published high risk score above those with a low one, from the layers that ship`, (t) => {
    const places = answeredPlaces(answers, peril);
    const auc = highAgainstLow(places);
    t.diagnostic(`AUC ${auc.toFixed(3)} over ${places.length} places`);
    const ranked = places.toSorted((a, b) => a.answer.riskScore - b.answer.riskScore);
    const lowest = ranked.filter(({ level }) => level === 'high').slice(0, NAMED);
    const highest = ranked.filter(({ level }) => level === 'low').slice(-NAMED);
    const told = [...lowest, ...highest].map(
      ({ name, level, answer }) => `${name} (${level}) ${answer.riskScore.toFixed(2)}`,
    );
    assert.ok(auc >= LEAST_AUC, `AUC ${auc.toFixed(3)}; ${told.join(', ')}`);
  });

  test(`${peril}: at most a tenth of the places is answered with confidence 0`, (t) => {
    const share = shareWithoutConfidence(answers, peril);
    t.diagnostic(`${(100 * share).toFixed(1)} % at confidence 0`);
    assert.ok(share <= GREATEST_WITHOUT_CONFIDENCE, `${(100 * share).toFixed(1)} %`);
  });

  test(`${peril}: on the open sea nothing is known`, () => {
    const points = { lats: Float64Array.of(84, 30, -45, 0), lngs: Float64Array.of(-30, -40, 100, -150) };
    for (const { confidence } of answers.assess(peril, points)) assert.equal(confidence, 0);
  });
}

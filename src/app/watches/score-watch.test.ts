import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floodedSnapshot } from '../../../test/fixtures/flooded-layers.ts';
import { square } from '../../../test/fixtures/records.ts';
import { geodesicAreaM2 } from '../../geo/area.ts';
import { placesOf, scoreArea, scorePoints, scoringState } from './score-watch.ts';

const GEOMETRY = square(14, 46, 0.1);
const PLACES = placesOf({ geometry: GEOMETRY, areaM2: geodesicAreaM2(GEOMETRY) });
const [DRY, DEEP] = [0, 2];

/** Scores an area whose western part, of the given share, is flooded. The rest is dry. */
const flooded = (share: number) =>
  scoreArea(
    floodedSnapshot('v', (lng) => (lng < 14 + 0.1 * share ? DEEP : DRY)),
    'flood',
    PLACES,
  );

test('the score of an area is the highest that 5 % of it reaches', async () => {
  const scoreAt = async (depth: number) => {
    const points = { lats: Float64Array.of(46.05), lngs: Float64Array.of(14.05) };
    const [score] = await scorePoints(
      floodedSnapshot('v', () => depth),
      'flood',
      points,
    );
    return score!;
  };
  const [dry, deep] = [await scoreAt(DRY), await scoreAt(DEEP)];
  assert.equal(PLACES.lngs.length, 1000);
  assert.equal((await flooded(1)).riskScore, deep.riskScore);
  assert.equal((await flooded(0.07)).riskScore, deep.riskScore);
  const strip = await flooded(0.03);
  assert.equal(strip.riskScore, dry.riskScore);
  assert.equal(strip.highest?.riskScore, deep.riskScore, 'and its worst place is told');
  assert.ok(strip.highest.lng < 14.003);
  const half = await flooded(0.5);
  assert.ok(
    Math.abs(half.scores.filter((score) => score === deep.riskScore).length / 1000 - 0.5) < 0.03,
    'half of it is above',
  );
  assert.ok(Math.abs(half.confidence - (dry.confidence + deep.confidence) / 2) < 0.01);
});

test('places without data only lower the confidence; an area without data has a prior with confidence 0', async () => {
  const all = await flooded(1);
  const half = await scoreArea(
    floodedSnapshot('v', (lng) => (lng < 14.05 ? DEEP : undefined)),
    'flood',
    PLACES,
  );
  assert.equal(half.riskScore, all.riskScore);
  assert.ok(Math.abs(half.placesWithoutData - 500) < 25);
  assert.ok(Math.abs(half.confidence - all.confidence / 2) < 0.02);
  const none = await scoreArea(
    floodedSnapshot('v', () => undefined),
    'flood',
    PLACES,
  );
  assert.deepEqual(
    [none.confidence, none.placesWithoutData, none.highest, none.scores.length],
    [0, 1000, null, 0],
  );
  assert.ok(none.riskScore > 0 && none.riskScore < 1);
});

test('the scoring state of a peril changes only with its layers', () => {
  const [one, two] = [floodedSnapshot('v1', () => 0), floodedSnapshot('v2', () => 0)];
  assert.notEqual(scoringState(one, 'flood'), scoringState(two, 'flood'));
  assert.equal(scoringState(one, 'storm'), scoringState(two, 'storm'));
  assert.equal(
    scoringState(one, 'flood'),
    scoringState(
      floodedSnapshot('v1', () => 0),
      'flood',
    ),
  );
});

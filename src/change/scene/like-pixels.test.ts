import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../base/time.ts';
import { classEdges, startLevelSurvey, surveyLevels } from './levels.ts';
import { RankClass, rankOf, sceneLevels, startLikeSurvey, surveyLikePixels } from './like-pixels.ts';
import { metricTraits } from '../metric.ts';
import type { StackSpec } from '../stack.ts';

const NDVI = metricTraits('ndvi')!;
const TIMES = 12;
const spec: StackSpec = {
  width: 20,
  height: 10,
  pixelAreaM2: 900,
  metric: 'ndvi',
  timesMs: Float64Array.from({ length: TIMES }, (_, t) => t * 30 * DAY_MS),
};

/** Half of the pixels are forest, .85 all year; the others are pasture, between .3 and .7. Pixels differ slightly. */
function value(pixel: number, t: number): number {
  const own = (pixel % 50) * 0.001;
  return pixel < 100 ? 0.85 + own : 0.5 - 0.2 * Math.cos((2 * Math.PI * t) / 12) + own;
}

function levelsOf(values: Float64Array) {
  const strip = { from: 0, values };
  const levels = startLevelSurvey(spec, NDVI);
  surveyLevels(levels, spec, strip);
  const survey = startLikeSurvey(spec, NDVI, classEdges(levels, spec));
  surveyLikePixels(survey, spec, strip);
  return sceneLevels(survey, spec, NDVI);
}

test('like pixels share a season: the forest class is constant, the pasture class is not', () => {
  const values = Float64Array.from({ length: 200 * TIMES }, (_, i) =>
    value(Math.floor(i / TIMES), i % TIMES),
  );
  const { median, comparable } = levelsOf(values);
  for (let t = 0; t < TIMES; t++) {
    assert.ok(Math.abs(median[3 * TIMES + t]! - 0.88) < 0.03);
    assert.ok(Math.abs(median[t]! - value(112, t)) < 0.03);
    assert.equal(comparable[3 * TIMES + t], 1);
  }
  assert.equal(comparable[11], 0); // pasture is not comparable in the dry month after the green months
  assert.equal(comparable[6], 1);
});

test('the gap between two classes in a scene is compared with earlier scenes that are comparable for both', () => {
  const values = Float64Array.from({ length: 200 * TIMES }, (_, i) =>
    value(Math.floor(i / TIMES), i % TIMES),
  );
  const { widening } = levelsOf(values);
  const parted = (lower: number, t: number): number => widening[lower * TIMES + t]!;
  // Months 4 to 7 are comparable with month 8. The median level of pasture in these months is the level of months
  // 5 and 7. In month 8 pasture is lower than that by .2 (cos 30° - cos 60°).
  assert.ok(Math.abs(parted(1, 8) - 0.0732) < 0.01);
  assert.ok(Math.abs(parted(1, 7)) < 0.01);
  assert.equal(parted(1, 6), 0); // only two earlier green months: too few
  assert.equal(parted(1, 11), 0); // the pasture is dormant
  for (let t = 0; t < TIMES; t++) {
    assert.ok(Math.abs(parted(2, t)) < 0.01); // both classes are forest
    assert.equal(parted(3, t), 0); // there is no class above
  }
});

test('a scene with few observations gives no levels, and nor does a class with few pixels', () => {
  const values = Float64Array.from({ length: 200 * TIMES }, (_, i) =>
    i % TIMES === 5 && Math.floor(i / TIMES) > 40 ? Number.NaN : value(Math.floor(i / TIMES), i % TIMES),
  );
  const { edges, median, comparable } = levelsOf(values);
  assert.ok(Number.isNaN(edges[5 * 3]!));
  for (let c = 0; c < 4; c++) {
    assert.ok(Number.isNaN(median[c * TIMES + 5]!));
    assert.equal(comparable[c * TIMES + 5], 0);
  }
});

test('the class of a pixel is its usual rank, and one strange value does not move it', () => {
  const edges = Float64Array.from({ length: 6 * 3 }, (_, i) => [0.25, 0.5, 0.75][i % 3]!);
  const rank = new RankClass();
  assert.equal(rank.value, -1);
  for (const [scene, ndvi] of [0.9, 0.8, 0.1, 0.9, 0.95].entries()) {
    const its = rankOf(edges, scene, ndvi);
    if (its >= 0) rank.add(its);
  }
  assert.equal(rank.value, 2);
  rank.clear();
  rank.add(rankOf(edges, 0, 0.1));
  assert.equal(rank.value, 0);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sceneContext } from './context.ts';
import { mergeContextSurvey, startContextSurvey, surveyContext } from './context-survey.ts';
import { uniform } from '../../../test/oracles/simulated-series.ts';
import { classEdges, startLevelSurvey, surveyLevels } from './levels.ts';
import { sceneLevels, startLikeSurvey, surveyLikePixels } from './like-pixels.ts';
import { metricTraits } from '../metric.ts';

test('one pixel in four of a grid of 128 x 128 is enough to show the weather in each part of it', () => {
  const [edge, times] = [128, 60];
  const day = 86_400_000;
  const timesMs = Float64Array.from({ length: times }, (_, t) => Date.UTC(2020, 0, 1) + t * 15 * day);
  const spec = { width: edge, height: edge, pixelAreaM2: 400, metric: 'ndvi', timesMs };
  const next = uniform(11);
  const values = new Float32Array(edge * edge * times);
  // In the last scene there is haze over the northern half.
  for (let i = 0; i < values.length; i++) {
    const isHazy = i % times === times - 1 && i / times < (edge * edge) / 2;
    values[i] = 0.7 + 0.06 * (next() - 0.5) - (isHazy ? 0.1 : 0);
  }
  const traits = metricTraits('ndvi')!;
  const strip = { from: 0, values };
  const levels = startLevelSurvey(spec, traits);
  surveyLevels(levels, spec, strip);
  const like = startLikeSurvey(spec, traits, classEdges(levels, spec));
  surveyLikePixels(like, spec, strip);
  const survey = startContextSurvey(spec, traits, sceneLevels(like, spec, traits));
  surveyContext(survey, spec, strip);
  const last = [0, 1, 2, 3].map((cell) => survey.observed[cell * times + times - 1]);
  assert.deepEqual(last, [1024, 1024, 1024, 1024]);
  const { lattice, shift } = sceneContext(survey, spec, traits);
  assert.deepEqual(lattice, { side: 64, columns: 2, rows: 2 });
  // All four cells are neighbours of each other, so half of the pixels of each neighbourhood are hazy.
  for (let cell = 0; cell < 4; cell++) {
    assert.ok(Math.abs(shift[cell * times + times - 2]!) < 0.003, 'nothing moved in the scene before');
    const moved = shift[cell * times + times - 1]!;
    assert.ok(moved < -0.01 && moved > -0.09, `cell ${cell}: ${moved}`);
  }
});

test('surveys of consecutive parts of a grid, each with its own cells and parts only, add up to that of the grid', () => {
  const [width, height, times] = [150, 330, 30];
  const timesMs = Float64Array.from({ length: times }, (_, t) => Date.UTC(2020, 0, 1) + t * 30 * 86_400_000);
  const spec = { width, height, pixelAreaM2: 400, metric: 'ndvi', timesMs };
  const next = uniform(12);
  const values = Float32Array.from({ length: width * height * times }, () => 0.5 + 0.4 * (next() - 0.5));
  const traits = metricTraits('ndvi')!;
  const strip = { from: 0, values };
  const levels = startLevelSurvey(spec, traits);
  surveyLevels(levels, spec, strip);
  const like = startLikeSurvey(spec, traits, classEdges(levels, spec));
  surveyLikePixels(like, spec, strip);
  const known = sceneLevels(like, spec, traits);
  const whole = startContextSurvey(spec, traits, known);
  surveyContext(whole, spec, strip);
  const sum = startContextSurvey(spec, traits, known);
  const sizes: number[] = [];
  const step = 9000; // 60 rows: neither cells nor parts end where it ends
  for (let from = 0; from < width * height; from += step) {
    const to = Math.min(width * height, from + step);
    const part = startContextSurvey(spec, traits, known, 0, [from, to]);
    surveyContext(part, spec, { from, values: values.subarray(from * times, to * times) });
    sizes.push(part.departures.counts.length / whole.departures.counts.length);
    mergeContextSurvey(sum, part);
  }
  assert.ok(Math.max(...sizes) <= 1 / 3, 'two of six rows of cells at most');
  for (const counts of ['departures', 'allDepartures', 'likeDepartures', 'falls', 'peers'] as const)
    assert.ok(
      Buffer.from(sum[counts].counts.buffer).equals(Buffer.from(whole[counts].counts.buffer)),
      counts,
    );
  assert.deepEqual(sum.observed, whole.observed);
  assert.deepEqual(sum.bank.pixels, whole.bank.pixels);
});

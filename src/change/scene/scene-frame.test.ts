import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstScenes, randomStack } from '../../../test/oracles/resumed-passes.ts';
import { metricTraits } from '../metric.ts';
import { classEdges, startLevelSurvey, surveyLevels } from './levels.ts';
import { sceneLevels, startLikeSurvey, surveyLikePixels } from './like-pixels.ts';
import { sceneFrame } from './scene-frame.ts';

test('the frame of the same scenes, levels and noise floor is computed once', () => {
  const { spec, metrics } = firstScenes(randomStack(1), 40);
  const traits = metricTraits('ndvi')!;
  const strip = { from: 0, values: metrics['ndvi']! };
  const levelsOf = () => {
    const survey = startLevelSurvey(spec, traits);
    surveyLevels(survey, spec, strip);
    const like = startLikeSurvey(spec, traits, classEdges(survey, spec));
    surveyLikePixels(like, spec, strip);
    return sceneLevels(like, spec, traits);
  };
  const levels = levelsOf();
  const frame = sceneFrame(spec, levels, 0.02);
  assert.equal(sceneFrame({ ...spec }, levels, 0.02), frame);
  assert.deepEqual(sceneFrame(spec, levels, 0.03), { ...frame, noiseFloor: 0.03 });
  const timesMs = spec.timesMs.slice();
  assert.equal(sceneFrame({ ...spec, timesMs }, levels, 0.03).timesMs, timesMs);
  const other = sceneFrame(spec, levelsOf(), 0.02);
  assert.notEqual(other, frame);
  assert.deepEqual(other, frame);
});

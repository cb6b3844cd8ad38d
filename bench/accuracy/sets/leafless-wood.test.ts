import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  followBy,
  producersAccuracy,
  scoreDetections,
  standingDetections,
  TOGETHER,
  totalScore,
} from '../detections/detection.ts';
import { CONVERSIONS, makeStacks } from './conversions.ts';

const LEAST_FOUND = 0.4; // .389 without the range of the growing season

test(
  'leafless woods with a year of history: two fifths of the built-up pixels are found, and no stable one is claimed',
  { skip: CONVERSIONS.isPresent() ? false : 'a data set of the conversions is absent' },
  async () => {
    const stacks = (await makeStacks([11, 12])).filter(({ ground }) => ground.startsWith('temperate'));
    const score = totalScore(
      stacks.map(({ stack, truths }) =>
        scoreDetections(truths, standingDetections(followBy(stack, TOGETHER))),
      ),
    );
    assert.ok(producersAccuracy(score) >= LEAST_FOUND, `${score.found} of ${score.changed} are found`);
    assert.equal(score.wrong, 0);
  },
);

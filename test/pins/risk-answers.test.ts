import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RISK_MODELS } from '../../src/risk/models.ts';
import { answersOf, readPins } from './pinned-cases.ts';

/** Maximum difference that the logarithms of two platforms can cause: relative, or absolute for values below 1. */
const TOLERANCE = 1e-8;

const PINS = readPins();

for (const model of Object.values(RISK_MODELS)) {
  test(`${model.peril} answers as its version says`, () => {
    const pins = PINS.get(model.modelVersion);
    const howTo = `node scripts/pin-answers.ts ${model.peril}`;
    assert.ok(
      pins,
      `${model.modelVersion} has no pinned answers. Pin them once it is as it should be: ${howTo}`,
    );
    const answers = answersOf(model);
    assert.equal(answers.length, pins.length);
    for (const [i, answer] of answers.entries())
      for (const [k, value] of answer.entries()) {
        const pin = pins[i]![k]!;
        assert.ok(
          Math.abs(value - pin) <= TOLERANCE * Math.max(1, Math.abs(pin)),
          `${model.modelVersion} no longer gives the answers pinned to it (case ${i}: ${answer.join(', ')}, pinned ${pins[i]!.join(', ')}). ` +
            `An answer that changes needs a new model version: raise modelVersion of ${model.peril}, then ${howTo}`,
        );
      }
  });
}

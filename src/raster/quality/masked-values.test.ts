import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClearView } from './clear-view.ts';
import { QUALITY_ENCODINGS, type QualityName } from './encodings.ts';

for (const [name, { bits, masked }] of Object.entries(QUALITY_ENCODINGS))
  test(`${name}: the tests for provenance mask exactly the values that do not show the ground`, () => {
    const view = new ClearView(name as QualityName);
    for (let value = 0; value < 2 ** bits; value++) {
      const isMasked = masked.some(({ bit, width, from, to }) => {
        const field = Math.floor(value / 2 ** bit) % 2 ** width;
        return field >= from && field <= to;
      });
      assert.equal(isMasked, !view.isClear(value), `the value ${value}`);
    }
  });

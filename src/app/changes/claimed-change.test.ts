import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClaimedChange, withoutRepeats } from './claimed-change.ts';
import type { Collection } from '../series/collection-store.ts';

const DAY_MS = 86_400_000;
const OPTICAL = { id: 'optical' } as Collection;
const RADAR = { id: 'radar' } as Collection;

function claim(
  collection: Collection,
  confirmedDay: number | null,
  pixels: readonly number[],
  more: Partial<ClaimedChange> = {},
): ClaimedChange {
  return {
    collection,
    type: 'vegetation_loss',
    status: confirmedDay === null ? 'suspected' : 'confirmed',
    firstAnomalyMs: 100 * DAY_MS,
    flaggedMs: 100 * DAY_MS,
    confirmedMs: confirmedDay === null ? null : confirmedDay * DAY_MS,
    pixels: Uint32Array.from(pixels),
    ...more,
  } as ClaimedChange;
}

test('of two sensors that tell of the same ground the one that confirmed first stays', () => {
  const first = claim(OPTICAL, 110, [4, 5, 6, 14, 15]);
  for (const [told, stands] of [
    [claim(RADAR, 112, [5, 6, 7]), false], // two of its three
    [claim(RADAR, null, [5, 6, 7]), false],
    [claim(RADAR, 112, [6, 7, 8]), true], // one of three
    [claim(RADAR, 112, [16, 17]), true],
    [claim(RADAR, 112, [1, 2]), true],
    [claim(OPTICAL, 112, [5, 6, 7]), true], // what one sensor tells apart is apart
    [claim(RADAR, 112, [5, 6, 7], { firstAnomalyMs: 900 * DAY_MS }), true],
    [claim(RADAR, 112, [5, 6, 7], { type: 'ground_subsidence' }), true],
    [claim(RADAR, 112, [5, 6, 7], { status: 'rejected' }), true],
  ] as const)
    for (const changes of [
      [first, told],
      [told, first],
    ])
      assert.deepEqual(
        withoutRepeats(changes),
        changes.filter((change) => stands || change !== told),
      );
  const earlier = claim(RADAR, 105, [5, 6, 7]);
  assert.deepEqual(withoutRepeats([first, earlier]), [earlier]);
});

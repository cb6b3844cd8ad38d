import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../base/time.ts';
import { type ClaimedChange, withoutDuplicates } from './claimed-change.ts';
import type { Collection } from '../series/collection-store.ts';

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

test('of changes that two sensors found on the same ground, the one confirmed first stays', () => {
  const first = claim(OPTICAL, 110, [4, 5, 6, 14, 15]);
  for (const [other, isKept] of [
    [claim(RADAR, 112, [5, 6, 7]), false], // shares two of its three pixels
    [claim(RADAR, null, [5, 6, 7]), false],
    [claim(RADAR, 112, [6, 7, 8]), true], // shares one of its three pixels
    [claim(RADAR, 112, [16, 17]), true],
    [claim(RADAR, 112, [1, 2]), true],
    [claim(OPTICAL, 112, [5, 6, 7]), true], // changes of one sensor are never duplicates
    [claim(RADAR, 112, [5, 6, 7], { firstAnomalyMs: 900 * DAY_MS }), true],
    [claim(RADAR, 112, [5, 6, 7], { type: 'ground_subsidence' }), true],
    [claim(RADAR, 112, [5, 6, 7], { status: 'rejected' }), true],
  ] as const)
    for (const changes of [
      [first, other],
      [other, first],
    ])
      assert.deepEqual(
        withoutDuplicates(changes),
        changes.filter((change) => isKept || change !== other),
      );
  const earlier = claim(RADAR, 105, [5, 6, 7]);
  assert.deepEqual(withoutDuplicates([first, earlier]), [earlier]);
});

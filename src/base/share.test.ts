import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Share } from './share.ts';

/** Lets each holder in turn take one more, until nobody may. */
function fill(share: Share, holders: readonly string[]): void {
  for (let taken = true; taken;) {
    taken = false;
    for (const holder of holders) {
      if (!share.has(holder, 1)) continue;
      share.take(holder, 1);
      taken = true;
    }
  }
}

test('one greedy holder reaches half, two a third each, and there is always something left for the next', () => {
  for (const count of [1, 2, 9]) {
    const share = new Share(1000);
    const holders = Array.from({ length: count }, (_, i) => `h${i}`);
    fill(share, holders);
    for (const holder of holders)
      assert.ok(Math.abs(share.held(holder) - 1000 / (count + 1)) <= 1, `${count}: ${share.held(holder)}`);
    assert.ok(share.has('next', Math.floor(1000 / (count + 1)) - 1));
  }
});

test('what is given back is free again, also what was taken above the capacity', () => {
  const share = new Share(10);
  share.take('a', 25);
  assert.equal(share.free, 0);
  assert.equal(share.has('b', 1), false);
  share.give('a', 20);
  assert.equal(share.held('a'), 5);
  assert.equal(share.has('a', 1), false);
  assert.equal(share.has('b', 5), true);
  share.give('a', 5);
  assert.equal(share.free, 10);
});

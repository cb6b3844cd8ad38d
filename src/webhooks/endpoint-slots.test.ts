import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EndpointSlots } from './endpoint-slots.ts';

const QUICK = { success: true, durationMs: 5 };
const FAILED = { success: false, durationMs: 100 };

/** Takes as many slots as are offered. */
function takeAll(slots: EndpointSlots, id: string): number {
  const offered = slots.room().get(id) ?? EndpointSlots.first;
  for (let taken = 0; taken < offered; taken++) assert.ok(slots.take(id));
  return offered;
}

/** Slots of an endpoint, and the clock they go by [ms]. */
function world() {
  const clock = { ms: 0 };
  return { clock, slots: new EndpointSlots(() => clock.ms) };
}

/** One delivery after another, each ending in the same way; the room after each. */
function oneByOne(slots: EndpointSlots, count: number, outcome: typeof QUICK): (number | undefined)[] {
  return Array.from({ length: count }, () => {
    slots.take('a');
    slots.give('a', outcome);
    return slots.room().get('a');
  });
}

test('an endpoint of which nothing is known has eight, apart from every other', () => {
  const { slots } = world();
  assert.equal(takeAll(slots, 'a'), 8);
  assert.equal(takeAll(slots, 'b'), 8);
  assert.deepEqual(
    [...slots.room()],
    [
      ['a', 0],
      ['b', 0],
    ],
  );
});

test('successes double them: up to 128 where it answers at once, to 32 within a second, to 8 where it takes longer', () => {
  for (const [durationMs, most] of [
    [5, 128],
    [500, 32],
    [3000, 8],
  ] as const) {
    const { slots } = world();
    let taken = takeAll(slots, 'a');
    for (let i = 0; i < 8; i++) {
      slots.give('a', { success: true, durationMs });
      taken += takeAll(slots, 'a') - 1;
    }
    assert.equal(taken, most, `${durationMs} ms`);
  }
});

test('a failure leaves one, what is under way counts against it, and each success doubles it', () => {
  const { slots, clock } = world();
  takeAll(slots, 'a');
  for (let i = 0; i < 3; i++) slots.give('a', FAILED);
  assert.equal(slots.room().get('a'), 0);
  assert.equal(slots.take('a'), false);
  for (let i = 0; i < 5; i++) slots.give('a', QUICK);
  assert.equal(slots.room().get('a'), 32);
  clock.ms = 5_001;
  assert.equal(slots.room().size, 0, 'whole again and idle: forgotten');
  assert.deepEqual(oneByOne(slots, 1, FAILED), [1]);
  assert.deepEqual(oneByOne(slots, 3, QUICK), [2, 4, undefined]);
});

test('after five failures in a row it rests three times as long as the last one took, and then gets one', () => {
  const { slots, clock } = world();
  assert.deepEqual(oneByOne(slots, 4, FAILED), [1, 1, 1, 1]);
  assert.deepEqual(oneByOne(slots, 1, FAILED), [0]);
  clock.ms = 299;
  assert.equal(slots.take('a'), false);
  clock.ms = 300;
  assert.equal(takeAll(slots, 'a'), 1);
  slots.give('a', { success: false, durationMs: 15_000 });
  clock.ms = 300 + 9_999;
  assert.equal(slots.take('a'), false);
  clock.ms = 300 + 10_000; // the longest
  assert.equal(slots.take('a'), true);
  slots.give('a', QUICK);
  assert.deepEqual([...slots.room()], [['a', 2]]);
});

test('an endpoint that asks to wait gets nothing meanwhile, for half a minute at most', () => {
  const { slots, clock } = world();
  slots.take('a');
  slots.give('a', { success: false, durationMs: 5, pauseMs: 2_000 });
  assert.equal(slots.room().get('a'), 0);
  clock.ms = 2_000;
  assert.equal(slots.take('a'), true);
  slots.give('a', { success: false, durationMs: 5, pauseMs: 86_400_000 });
  clock.ms = 32_000;
  assert.equal(slots.take('a'), true);
});

test('an attempt that has become slow takes the quick allowance away; one that is merely slower does not', () => {
  const { slots } = world();
  let taken = takeAll(slots, 'a');
  slots.give('a', QUICK);
  slots.give('a', QUICK);
  slots.give('a', QUICK);
  taken += takeAll(slots, 'a') - 3;
  assert.equal(taken, 64);
  slots.give('a', { success: true, durationMs: 200 });
  assert.equal(slots.room().get('a'), 1);
  slots.slow('a');
  for (let i = 0; i < 55; i++) slots.give('a', { success: true, durationMs: 3_000 });
  assert.equal(slots.room().get('a'), 0, 'eight are under way');
  assert.ok(slots.take('a'), 'what was claimed for it before');
});

test('giving back what was not taken is a fault', () => {
  assert.throws(() => world().slots.give('a', QUICK), RangeError);
});

test('what an endpoint has earned outlasts a moment without deliveries, and is forgotten after five seconds', () => {
  const { slots, clock } = world();
  assert.deepEqual(oneByOne(slots, 5, QUICK), [16, 32, 64, 128, 128]);
  clock.ms = 5_000;
  assert.equal(slots.room().get('a'), 128);
  clock.ms = 5_001;
  assert.equal(slots.room().size, 0);
  assert.equal(takeAll(slots, 'a'), 8);
});

test('what failed is forgotten after ten minutes', () => {
  const { slots, clock } = world();
  oneByOne(slots, 1, FAILED);
  clock.ms = 600_000;
  assert.equal(slots.room().size, 1);
  clock.ms = 600_001;
  assert.equal(slots.room().size, 0);
  assert.equal(takeAll(slots, 'a'), 8);
});

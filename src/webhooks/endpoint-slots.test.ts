import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EndpointSlots } from './endpoint-slots.ts';

const QUICK = { success: true, durationMs: 5 };
const FAILED = { success: false, durationMs: 100 };

/** Takes all slots that are offered. @returns their number */
function takeAll(slots: EndpointSlots, id: string): number {
  const offered = slots.room().get(id) ?? EndpointSlots.first;
  for (let taken = 0; taken < offered; taken++) assert.ok(slots.take(id));
  return offered;
}

/** Makes slots, and the clock that they use [ms]. */
function world() {
  const clock = { ms: 0 };
  return { clock, slots: new EndpointSlots(() => clock.ms) };
}

/** Makes deliveries one after another with the same outcome. @returns the free slots after each */
function oneByOne(slots: EndpointSlots, count: number, outcome: typeof QUICK): (number | undefined)[] {
  return Array.from({ length: count }, () => {
    slots.take('a');
    slots.give('a', outcome);
    return slots.room().get('a');
  });
}

test('an endpoint without history has eight slots, independent of all others', () => {
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

test('successes double the slots: up to 128 for responses within 100 ms, 32 within a second, 8 for slower ones', () => {
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

test('a failure leaves one slot, which attempts under way use up, and each success doubles it', () => {
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

test('after five failures in a row an endpoint pauses for three times the last duration, then has one slot', () => {
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
  clock.ms = 300 + 10_000; // end of the longest pause, 10 s
  assert.equal(slots.take('a'), true);
  slots.give('a', QUICK);
  assert.deepEqual([...slots.room()], [['a', 2]]);
});

test('an endpoint that asks for a pause gets no deliveries for that time, at most half a minute', () => {
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

test('a slow attempt reduces a quick allowance; one that is slower but within a second does not', () => {
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

test('returning a slot that was not taken throws', () => {
  assert.throws(() => world().slots.give('a', QUICK), RangeError);
});

test('a raised allowance lasts through a short pause and is forgotten after five idle seconds', () => {
  const { slots, clock } = world();
  assert.deepEqual(oneByOne(slots, 5, QUICK), [16, 32, 64, 128, 128]);
  clock.ms = 5_000;
  assert.equal(slots.room().get('a'), 128);
  clock.ms = 5_001;
  assert.equal(slots.room().size, 0);
  assert.equal(takeAll(slots, 'a'), 8);
});

test('failures are forgotten after ten minutes', () => {
  const { slots, clock } = world();
  oneByOne(slots, 1, FAILED);
  clock.ms = 600_000;
  assert.equal(slots.room().size, 1);
  clock.ms = 600_001;
  assert.equal(slots.room().size, 0);
  assert.equal(takeAll(slots, 'a'), 8);
});

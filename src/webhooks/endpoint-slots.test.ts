import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EndpointSlots } from './endpoint-slots.ts';

/** Takes as many slots as there are. */
function takeAll(slots: EndpointSlots, id: string): number {
  let taken = 0;
  while (slots.take(id)) taken += 1;
  return taken;
}

test('an endpoint has its slots, apart from every other', () => {
  const slots = new EndpointSlots(4);
  assert.equal(takeAll(slots, 'a'), 4);
  assert.equal(takeAll(slots, 'b'), 4);
  slots.give('a', true);
  assert.deepEqual(
    [...slots.room()],
    [
      ['a', 1],
      ['b', 0],
    ],
  );
});

test('a failure leaves one slot, and each success doubles it up to the most', () => {
  const slots = new EndpointSlots(6);
  slots.take('a');
  slots.give('a', false);
  const seen: (number | undefined)[] = [slots.room().get('a')];
  for (let i = 0; i < 3; i++) {
    slots.take('a');
    slots.give('a', true);
    seen.push(slots.room().get('a'));
  }
  assert.deepEqual(seen, [1, 2, 4, undefined]); // the last one is whole again
  assert.equal(takeAll(slots, 'a'), 6);
});

test('after a failure, what is already under way counts against the one slot', () => {
  const slots = new EndpointSlots(4);
  takeAll(slots, 'a');
  slots.give('a', false);
  assert.equal(slots.room().get('a'), 0);
  assert.equal(slots.take('a'), false);
  slots.give('a', false);
  slots.give('a', false);
  assert.equal(slots.take('a'), false);
  slots.give('a', false);
  assert.equal(takeAll(slots, 'a'), 1);
});

test('giving back what was not taken is a fault', () => {
  assert.throws(() => new EndpointSlots(1).give('a', true), RangeError);
});

test('what is idle and whole is forgotten', () => {
  const slots = new EndpointSlots(2);
  slots.take('a');
  slots.give('a', true);
  assert.equal(slots.room().size, 0);
  slots.take('a');
  slots.give('a', false);
  assert.deepEqual([...slots.room()], [['a', 1]]);
  slots.take('a');
  slots.give('a', true);
  assert.equal(slots.room().size, 0);
});

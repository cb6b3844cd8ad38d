import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenDeparture } from './open-departure.ts';

/** Creates a departure with a given size at its flag [noise floors], and adds observations with the given sizes. */
function departureOf(direction: -1 | 1, flag: number, sizes: readonly number[]): OpenDeparture {
  const departure = new OpenDeparture();
  departure.open(direction, 3, 4, 2, false, direction * flag);
  for (const [i, size] of sizes.entries())
    departure.count(5 + i, direction * 4, direction * size, true, true, false);
  return departure;
}

test('consecutive returns by more than half of the size are counted, on either side', () => {
  for (const direction of [-1, 1] as const) {
    assert.equal(departureOf(direction, 20, [18, 21, 9, 8, 7]).returned, 3);
    assert.equal(departureOf(direction, 20, [18, 21, 11, 12, 13]).returned, 0);
    assert.equal(departureOf(direction, 20, [9, 8, 19]).returned, 0);
  }
});

test('a single extreme scene does not make the following ones a return, and a growing departure is compared with its largest size', () => {
  // The weight of an observation in the moving average is .3: 20 + .3 (60 - 20) = 32. Half of it is 16.
  assert.equal(departureOf(-1, 20, [60, 18, 18, 18]).returned, 0);
  assert.equal(departureOf(-1, 6, [...Array.from({ length: 12 }, () => 20), 8, 8, 8]).returned, 3);
});

test('two returns end a suspicion against a short history, three end a confirmed one, and none end a seasonal one', () => {
  assert.equal(departureOf(-1, 20, [18, 9, 8]).isBack, true);
  assert.equal(departureOf(-1, 20, [18, 9]).isBack, false);
  const confirmed = departureOf(-1, 20, [18, 9, 8]);
  confirmed.confirmed = 4;
  assert.equal(confirmed.isBack, false);
  confirmed.count(8, -4, -7, true, true, false);
  assert.equal(confirmed.isBack, true);
  const seasonal = new OpenDeparture();
  seasonal.open(-1, 3, 4, 2, true, -20);
  for (let i = 0; i < 4; i++) seasonal.count(5 + i, -4, -8, true, true, false);
  assert.deepEqual([seasonal.returned, seasonal.isBack], [4, false]);
});

test('the next departure begins with fresh counts', () => {
  const departure = departureOf(-1, 20, [9, 8, 7]);
  departure.open(-1, 9, 10, 2, false, -4);
  assert.equal(departure.returned, 0);
  departure.count(11, -4, -3, true, true, false);
  assert.equal(departure.returned, 0);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../base/time.ts';
import { confirmedEvent } from '../../../test/fixtures/pixel-event.ts';
import { type PixelEvent, eventAt, eventCount, packEvents } from '../pixel/pixel-events.ts';
import type { StackSpec } from '../stack.ts';
import { confirmTogether } from './joint-confirmation.ts';

/** A grid of 6 x 5 pixels, with a scene every 30 days. */
function specOf(scenes: number): StackSpec {
  const timesMs = Float64Array.from({ length: scenes }, (_, t) => t * 30 * DAY_MS);
  return { width: 6, height: 5, pixelAreaM2: 900, metric: 'ndvi', timesMs };
}

const FIVE = [0, 1, 2, 6, 7];

/** A note of scene 12 that a fall which began in scene 11 is evident early. */
function note(pixel: number, overrides: Partial<PixelEvent> = {}): PixelEvent {
  return confirmedEvent(pixel, {
    status: 'rejected',
    firstAnomaly: 11,
    flagged: 12,
    confirmed: -1,
    evident: 12,
    early: true,
    rejected: 12,
    posterior: 0.9,
    lastedMs: 30 * DAY_MS,
    magnitude: -0.3,
    moves: [{ residual: -0.3, value: 0.4 }],
    ...overrides,
  });
}

/** A fall of the same pixel that is confirmed by itself in scene 22, unless told otherwise. */
function fall(pixel: number, overrides: Partial<PixelEvent> = {}): PixelEvent {
  const own = { firstAnomaly: 18, flagged: 19, confirmed: 22, evident: -1, rejected: -1, early: false };
  return note(pixel, { status: 'confirmed', ...own, ...overrides });
}

function together(scenes: number, events: readonly PixelEvent[]): PixelEvent[] {
  const confirmed = confirmTogether(specOf(scenes), packEvents(events));
  return Array.from({ length: eventCount(confirmed) }, (_, i) => eventAt(confirmed, i));
}

test('five neighbours that are evident early confirm each other: they stand for 90 days, and longer if they depart again within a year', () => {
  const notes = FIVE.map((pixel) => note(pixel));
  for (const { status, confirmed, recovered } of together(15, notes))
    assert.deepEqual([status, confirmed, recovered], ['confirmed', 12, -1]);
  // 90 days after scene 12.
  for (const { status, confirmed, recovered } of together(30, notes))
    assert.deepEqual([status, confirmed, recovered], ['recovered', 12, 15]);
  const found = together(
    30,
    FIVE.flatMap((pixel) => [note(pixel), fall(pixel)]),
  );
  assert.equal(found.length, FIVE.length);
  for (const { status, firstAnomaly, flagged, confirmed, lastedMs } of found) {
    assert.deepEqual([status, firstAnomaly, flagged, confirmed], ['confirmed', 11, 12, 12]);
    assert.equal(lastedMs, 240 * DAY_MS); // seven scenes from one first anomaly to the other, and 30 days
  }
});

test('four notes, or a fifth of another season, tell nothing', () => {
  const four = FIVE.slice(1).map((pixel) => note(pixel));
  assert.deepEqual(together(30, four), []);
  const late = { firstAnomaly: 13, flagged: 15, evident: 15, rejected: 15 }; // 90 days after the others
  assert.deepEqual(together(30, [note(0, late), ...four]), []);
});

test('a note that neighbours did not confirm does not decide which later departures belong together', () => {
  // The first begins 90 days after the note, the others 120 days after it.
  const plain = [1, 2, 7].map((pixel) =>
    fall(pixel, {
      firstAnomaly: pixel === 1 ? 14 : 15,
      flagged: 16,
      sure: 17,
      confirmed: -1,
      status: 'suspected',
    }),
  );
  for (const events of [plain, [note(0), ...plain]])
    assert.deepEqual(
      together(30, events).map(({ pixel, status, confirmed }) => [pixel, status, confirmed]),
      [1, 2, 7].map((pixel) => [pixel, 'confirmed', 17]),
    );
  const notes = FIVE.map((pixel) => {
    const firstAnomaly = pixel === 1 ? 14 : 15;
    return note(pixel, { firstAnomaly, flagged: 15, evident: 15, rejected: 15 });
  });
  const found = together(
    16,
    [note(8), ...notes].toSorted((a, b) => a.pixel - b.pixel),
  );
  assert.deepEqual(
    found.map(({ pixel, confirmed }) => [pixel, confirmed]),
    FIVE.map((pixel) => [pixel, 15]),
  );
});

test('notes do not change what the pixel comes to by itself', () => {
  const falls = FIVE.map((pixel) => fall(pixel));
  const with4 = FIVE.flatMap((pixel) => [...(pixel === 0 ? [] : [note(pixel)]), fall(pixel)]);
  assert.deepEqual(together(30, with4), together(30, falls));
});

test('a note that is confirmed begins what its pixel comes to within a year in its direction', () => {
  const follow = (overrides: Partial<PixelEvent>): [string, number][] =>
    together(
      40,
      FIVE.flatMap((pixel) => [note(pixel), ...(pixel === 2 ? [fall(2, overrides)] : [])]),
    ).flatMap(({ pixel, status, firstAnomaly }) => (pixel === 2 ? [[status, firstAnomaly]] : []));
  assert.deepEqual(follow({ status: 'suspected', confirmed: -1 }), [['confirmed', 11]]);
  assert.deepEqual(follow({ status: 'recovered', recovered: 30 }), [['recovered', 11]]);
  assert.deepEqual(follow({ direction: 1 }), [
    ['recovered', 11],
    ['confirmed', 18],
  ]);
  assert.deepEqual(follow({ status: 'rejected', confirmed: -1, rejected: 25 }), [
    ['recovered', 11],
    ['rejected', 18],
  ]);
  assert.deepEqual(follow({ firstAnomaly: 24, flagged: 25, confirmed: 27 }), [
    ['recovered', 11],
    ['confirmed', 24],
  ]);
});

test('what notes led to is not changed by a second time', () => {
  const spec = specOf(30);
  for (const events of [
    FIVE.flatMap((pixel) => [note(pixel), fall(pixel)]),
    FIVE.map((pixel) => note(pixel)),
  ]) {
    const once = confirmTogether(spec, packEvents(events));
    assert.deepEqual(confirmTogether(spec, once), once);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confirmedEvent } from '../../../test/fixtures/pixel-event.ts';
import { DAY_MS } from '../../base/time.ts';
import { metricTraits } from '../metric.ts';
import { packEvents, type PixelEvent } from '../pixel/pixel-events.ts';
import type { StackSpec } from '../stack.ts';
import { changeObjects } from './objects.ts';

/** A grid of 8 x 5 pixels of 10 m, of which five are the smallest change, with a scene every 30 days. */
const timesMs = Float64Array.from({ length: 40 }, (_, t) => t * 30 * DAY_MS);
const spec: StackSpec = { width: 8, height: 5, pixelAreaM2: 100, metric: 'ndvi', timesMs };

/** A departure that was rejected in scene 18. */
const rejected = (pixel: number, overrides: Partial<PixelEvent> = {}): PixelEvent =>
  confirmedEvent(pixel, { status: 'rejected', confirmed: -1, rejected: 18, ...overrides });

function group(events: readonly PixelEvent[], metric = 'ndvi') {
  const traits = metricTraits(metric)!;
  const packed = packEvents(events.toSorted((a, b) => a.pixel - b.pixel));
  return changeObjects({ ...spec, metric }, traits, packed).map(({ status, pixels }) => [
    status,
    [...pixels],
  ]);
}

test('small pieces that are one pixel apart are one change, without the pixel between', () => {
  const pieces = [0, 1, 3, 4, 12].map((pixel) => confirmedEvent(pixel));
  assert.deepEqual(group(pieces), [['confirmed', [0, 1, 3, 4, 12]]]);
  assert.deepEqual(group([0, 1, 4, 5, 13].map((pixel) => confirmedEvent(pixel))), []); // two pixels apart
  // Pixels 6 and 8 are in different rows, at the two edges of the grid.
  assert.deepEqual(group([6, 5, 13, 8, 16].map((pixel) => confirmedEvent(pixel))), []);
});

test('pieces of other seasons or directions are apart, and single pixels are no pieces', () => {
  const first = [0, 1, 9].map((pixel) => confirmedEvent(pixel));
  const later = { firstAnomaly: 14, flagged: 16, confirmed: 18 };
  assert.deepEqual(group([...first, ...[3, 4, 12].map((pixel) => confirmedEvent(pixel, later))]), []);
  assert.deepEqual(
    group([...first, ...[3, 4, 12].map((pixel) => confirmedEvent(pixel, { direction: 1 }))]),
    [],
  );
  assert.deepEqual(group([...first, confirmedEvent(8), confirmedEvent(3)]), []);
});

test('three small pieces in a row are one change, and a large change does not take up pieces beside it', () => {
  const row = [0, 8, 2, 10, 4, 12].map((pixel) => confirmedEvent(pixel));
  assert.deepEqual(group(row), [['confirmed', [0, 2, 4, 8, 10, 12]]]);
  const large = [0, 1, 2, 8, 9].map((pixel) => confirmedEvent(pixel));
  assert.deepEqual(group([...large, confirmedEvent(4), confirmedEvent(12)]), [
    ['confirmed', [0, 1, 2, 8, 9]],
  ]);
});

test('a piece of three confirmed pixels is completed by rejected departures that touch it', () => {
  const piece = [0, 1, 2].map((pixel) => confirmedEvent(pixel));
  assert.deepEqual(group([...piece, rejected(8), rejected(10)]), [['confirmed', [0, 1, 2, 8, 10]]]);
  assert.deepEqual(group([...piece, rejected(8)]), []);
  assert.deepEqual(group([...piece, rejected(8), rejected(16)]), []); // pixel 16 does not touch the piece
  assert.deepEqual(group([...piece, rejected(8), rejected(10, { direction: 1 })]), []);
  assert.deepEqual(group([...piece, rejected(8), rejected(10, { firstAnomaly: 3, flagged: 5 })]), []);
  assert.deepEqual(group([confirmedEvent(0), confirmedEvent(1), rejected(2), rejected(8), rejected(10)]), []);
});

test('a rejected departure is of one change only', () => {
  // Two pieces of three pixels, three columns apart, and two rejected departures between them that touch both.
  const pieces = [0, 8, 16, 3, 11, 19].map((pixel, i) =>
    confirmedEvent(pixel, { confirmed: i < 3 ? 15 : 16 }),
  );
  const between = [rejected(1), rejected(9), rejected(2), rejected(10)];
  assert.deepEqual(group([...pieces, ...between]), [
    ['confirmed', [0, 1, 8, 9, 16]],
    ['confirmed', [2, 3, 10, 11, 19]],
  ]);
});

test('pieces of changes of other phenomena stay apart', () => {
  const pieces = [0, 1, 3, 4, 12].map((pixel) => confirmedEvent(pixel));
  assert.deepEqual(group(pieces, 'mndwi'), []);
});

test('nothing is put together where three pixels are large enough', () => {
  const pieces = [0, 1, 3, 4].map((pixel) => confirmedEvent(pixel));
  const packed = packEvents(pieces);
  assert.deepEqual(changeObjects({ ...spec, pixelAreaM2: 400 }, metricTraits('ndvi')!, packed), []);
});

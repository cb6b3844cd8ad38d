import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  changeAt,
  producersAccuracy,
  scoreDetections,
  standingDetections,
  totalScore,
  usersAccuracy,
  type PixelTruth,
} from './detection.ts';
import type { Claim } from '../engine.ts';
import type { ChangeObject } from '../../../src/change/object/objects.ts';
import { DAY_MS } from '../../../src/base/time.ts';

const CHANGED = Date.UTC(2010, 5, 1);
const at = (days: number): number => CHANGED + days * DAY_MS;
const said = (pixel: number, onsetDays: number, toldDays = onsetDays) => ({
  pixel,
  onsetMs: at(onsetDays),
  toldMs: at(toldDays),
});

test('a detection counts by its date; each pixel counts once', () => {
  const change = changeAt(CHANGED);
  const truths: PixelTruth[] = [change, change, change, change, change, 'stable', 'stable', 'unknown'];
  const score = scoreDetections(truths, [
    said(0, -30, 40), // dated 30 days early and told 40 days after the change: found
    said(0, 20, 60), // a second one of the same pixel
    said(1, -90, 40), // dated too early
    said(2, -30, -10), // told before it happened
    said(3, 400), // more than a year late
    said(5, 10),
    said(5, 90),
    said(7, 10), // a pixel that is not judged
  ]);
  assert.deepEqual(score, { changed: 5, stable: 2, found: 1, wrong: 1, misdated: 3, lagDays: [40] });
  assert.equal(producersAccuracy(score), 1 / 5);
  assert.equal(usersAccuracy(score), 1 / 5);
  const twice = totalScore([score, score]);
  assert.deepEqual([twice.found, twice.misdated, twice.lagDays], [2, 6, [40, 40]]);
});

test('what was taken back, by the pixel or by its object, does not stand', () => {
  const claim = (pixel: number, recoveredMs: number | null) =>
    ({ pixel, confirmedMs: at(80), recoveredMs, firstAnomalyMs: at(3) }) as Claim;
  const object = (pixels: number[], confirmedMs: number | null, recoveredMs: number | null) =>
    ({ pixels: Uint32Array.from(pixels), confirmedMs, recoveredMs }) as ChangeObject;
  const found = standingDetections({
    claims: [claim(0, null), claim(1, at(200)), claim(2, null), claim(3, null), claim(4, null)],
    objects: [object([0, 1], at(80), null), object([2], at(80), at(200)), object([4], null, null)],
  });
  assert.deepEqual(found, [said(0, 3, 80)]);
});

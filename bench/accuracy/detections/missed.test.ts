import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../src/base/time.ts';
import type { ChangeObject } from '../../../src/change/object/objects.ts';
import type { Claim } from '../engine.ts';
import { changeAt, type PixelTruth } from './detection.ts';
import { missedPixels } from './missed.ts';

const CHANGED = Date.UTC(2010, 5, 1);
const at = (days: number): number => CHANGED + days * DAY_MS;

test('a missed pixel has the reason of the claim that came farthest, and a found one has none', () => {
  const change = changeAt(CHANGED);
  const truths: PixelTruth[] = [...Array.from({ length: 8 }, () => change), 'stable', 'unknown'];
  const claim = (
    pixel: number,
    status: Claim['status'],
    onset: number,
    confirmedMs: number | null = null,
    recoveredMs: number | null = null,
  ) =>
    ({
      pixel,
      status,
      firstAnomalyMs: at(onset),
      confirmedMs,
      recoveredMs,
    }) as Claim;
  const claims = [
    claim(0, 'confirmed', 3, at(80)), // found
    claim(1, 'rejected', 3),
    claim(2, 'rejected', 3),
    claim(2, 'suspected', 90),
    claim(3, 'recovered', 3, at(80), at(300)),
    claim(3, 'suspected', 310),
    claim(4, 'confirmed', 3, at(80)), // its object is too small
    claim(5, 'confirmed', 400, at(480)), // another change
    claim(6, 'rejected', 400), // a suspicion of another date
    claim(8, 'rejected', 3),
  ];
  const published = {
    pixels: Uint32Array.of(0, 5),
    confirmedMs: at(80),
    recoveredMs: null,
  } as ChangeObject;
  const missed = missedPixels(truths, { claims, objects: [published] });
  assert.deepEqual(
    [...missed],
    [
      [1, 'rejected'],
      [2, 'still suspected'],
      [3, 'taken back'],
      [4, 'not published'],
      [5, 'misdated'],
      [6, 'never suspected'],
      [7, 'never suspected'],
    ],
  );
});

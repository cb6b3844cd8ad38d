import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../base/time.ts';
import { MODEL_VERSION } from '../../change/parameters.ts';
import { changeRecord, collectionRecord } from '../../../test/fixtures/records.ts';
import type { ClaimedChange } from './claimed-change.ts';
import { objectKeyOf, knownChanges } from './known-change.ts';
import type { ChangeRecord } from './change-store.ts';

const collection = collectionRecord();
const JUNE_MS = Date.UTC(2023, 5, 1);

/** A decrease found in the pixels `[from, from + count)`. It began `day` days after 2023-06-01. */
function object(from: number, count: number, day: number, over: Partial<ClaimedChange> = {}): ClaimedChange {
  const firstAnomalyMs = JUNE_MS + day * DAY_MS;
  return {
    collection,
    seed: { pixel: from },
    pixels: Uint32Array.from({ length: count }, (_, i) => from + i),
    seedAnomalyMs: firstAnomalyMs,
    firstAnomalyMs,
    metric: 'ndvi',
    magnitude: -0.4,
    recoveredMs: null,
    status: 'confirmed',
    ...over,
  } as unknown as ClaimedChange;
}

/** The record that an earlier run published for an object. */
function recordOf(known: ClaimedChange, over: Partial<ChangeRecord> = {}): ChangeRecord {
  const base = changeRecord(collection.id);
  return {
    ...base,
    modelVersion: MODEL_VERSION,
    objectKey: objectKeyOf(known),
    magnitude: known.magnitude,
    firstAnomalyAt: new Date(known.firstAnomalyMs).toISOString().slice(0, 10),
    provenance: {
      ...base.provenance,
      pixels: { seed: known.seed.pixel, runs: [known.pixels[0]!, known.pixels.length] },
    },
    ...over,
  } as ChangeRecord;
}

test('an object matches a record by key, else by ground and season', () => {
  const [a, b] = [recordOf(object(100, 20, 0)), recordOf(object(500, 20, 0))];
  const same = object(100, 25, 0);
  const moved = object(498, 20, 16);
  const found = knownChanges([moved, same], [a, b], MODEL_VERSION).records;
  assert.equal(found.get(same), a);
  assert.equal(found.get(moved), b);
});

test('the record that shares most ground is matched, and each record matches one object', () => {
  const [small, large] = [recordOf(object(100, 6, 3)), recordOf(object(106, 14, 5))];
  const merged = object(100, 20, 1);
  const rest = object(101, 4, 2);
  const found = knownChanges([merged, rest], [small, large], MODEL_VERSION).records;
  assert.equal(found.get(merged), large);
  assert.equal(found.get(rest), small);
});

for (const [why, other] of [
  ['it rose', object(102, 20, 0, { magnitude: 0.4 })],
  ['it began in another season', object(102, 20, 120)],
  ['it shares too little ground', object(115, 20, 1)],
  ['it is rejected', object(102, 20, 1, { status: 'rejected' })],
  ['it is in another collection', object(102, 20, 1, { collection: collectionRecord() })],
] as const)
  test(`an object does not match a record when ${why}`, () => {
    assert.equal(knownChanges([other], [recordOf(object(100, 20, 0))], MODEL_VERSION).records.size, 0);
  });

test('a rejected record matches by key only', () => {
  const before = recordOf(object(100, 20, 0), { status: 'rejected' });
  const [same, near] = [object(100, 20, 0), object(101, 20, 0)];
  assert.equal(knownChanges([same], [before], MODEL_VERSION).records.get(same), before);
  assert.equal(knownChanges([near], [before], MODEL_VERSION).records.size, 0);
});

test('of several events on the same ground, those that are near in time match across models', () => {
  const of = (day: number) => recordOf(object(100, 20, day), { modelVersion: 'change-v0.0.1' });
  const [first, second] = [of(0), of(240)];
  const [early, late] = [object(101, 18, 30), object(99, 20, 280)];
  const { records } = knownChanges([late, early], [first, second], MODEL_VERSION);
  assert.deepEqual([records.get(early), records.get(late)], [first, second]);
});

test('a record of another model matches within a year, one of the same model within three months', () => {
  const found = object(99, 20, 200);
  const matches = (modelVersion: string) =>
    knownChanges([found], [recordOf(object(100, 20, 0), { modelVersion })], MODEL_VERSION).records.size;
  assert.deepEqual([matches('change-v0.0.1'), matches(MODEL_VERSION)], [1, 0]);
});

test('a record of another model matches a change that began years before and lasts', () => {
  const record = recordOf(object(100, 20, 800), { modelVersion: 'change-v0.0.1' });
  const ofYears = (over: Partial<ClaimedChange>) => object(99, 20, 0, over);
  const matches = (found: ClaimedChange, its = record) =>
    knownChanges([found], [its], MODEL_VERSION).records.size;
  assert.equal(matches(ofYears({})), 1);
  assert.equal(matches(ofYears({ recoveredMs: JUNE_MS + 801 * DAY_MS, status: 'recovered' })), 1);
  assert.equal(
    matches(ofYears({ recoveredMs: JUNE_MS + 800 * DAY_MS, status: 'recovered' })),
    0,
    'it was over',
  );
  assert.equal(matches(object(99, 20, 1_600)), 0, 'it began years later');
  assert.equal(matches(ofYears({}), recordOf(object(100, 20, 800))), 0, 'the same model tells two changes');
});

test('a record matches the change that begins near it rather than one that lasts until then', () => {
  const record = recordOf(object(100, 20, 800), { modelVersion: 'change-v0.0.1' });
  const [lasting, near] = [object(100, 20, 0), object(100, 20, 810)];
  const { records } = knownChanges([lasting, near], [record], MODEL_VERSION);
  assert.deepEqual([records.get(lasting), records.get(near)], [undefined, record]);
});

test('of a confirmed and a suspected record, the confirmed one matches, since its users were notified', () => {
  const confirmed = recordOf(object(100, 20, 80));
  const suspected = recordOf(object(99, 21, 0), { status: 'suspected', toldAs: null });
  const found = object(98, 22, 1);
  const { records, coveredBy } = knownChanges([found], [suspected, confirmed], MODEL_VERSION);
  assert.equal(records.get(found), confirmed);
  assert.equal(coveredBy.get(suspected), found);
});

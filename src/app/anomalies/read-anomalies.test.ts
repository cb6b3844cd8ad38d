import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PAGE_BYTES } from '../../contract/limits.ts';
import type { AnomalyListItem } from './anomaly-store.ts';
import { drawAnomalies } from './read-anomalies.ts';

const OWNER = { accountId: 'acc_1', environment: 'production' } as const;
const anomaly = (i: number, aoiId: string): AnomalyListItem =>
  ({ id: `an_${i}`, aoiId, detectedAt: new Date(1000 - i) }) as AnomalyListItem;

/** A store of areas whose geometries are texts of one length. It records which areas each call asked for. */
function areas(length: number, gone: ReadonlySet<string> = new Set()) {
  const calls: (readonly string[])[] = [];
  const geometryTexts = (_owner: unknown, ids: readonly string[]) => {
    calls.push(ids);
    return Promise.resolve(new Map(ids.filter((id) => !gone.has(id)).map((id) => [id, 'x'.repeat(length)])));
  };
  return { calls, stores: { aois: { geometryTexts } } as unknown as Parameters<typeof drawAnomalies>[0] };
}

test('the areas of two thousand anomalies are read in a few queries, each once', async () => {
  const gone = new Set(['aoi_0', 'aoi_77']);
  const { calls, stores } = areas(100, gone);
  const items = Array.from({ length: 2000 }, (_, i) => anomaly(i, `aoi_${i % 1000}`));
  const drawn = await drawAnomalies(stores, OWNER, { items, next: ['more'] });
  assert.ok(calls.length <= 10, `${calls.length} queries`);
  const asked = calls.flat();
  assert.equal(new Set(asked).size, asked.length);
  assert.deepEqual(
    drawn.items.map(({ id }) => id),
    items.filter(({ aoiId }) => !gone.has(aoiId)).map(({ id }) => id),
  );
  assert.deepEqual(drawn.next, ['more']);
});

test('of large areas no more are read than fit on the page, and a few', async () => {
  const { calls, stores } = areas(PAGE_BYTES / 8);
  const items = Array.from({ length: 1000 }, (_, i) => anomaly(i, `aoi_${i}`));
  const drawn = await drawAnomalies(stores, OWNER, { items, next: undefined });
  assert.equal(drawn.items.length, 8);
  assert.deepEqual(drawn.next, [new Date(1000 - 7).toISOString(), 'an_7']);
  assert.ok(calls.flat().length <= 12, `${calls.flat().length} areas`);
});

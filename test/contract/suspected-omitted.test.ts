import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { changeRecord, putAoi } from '../fixtures/records.ts';
import { assertNoServerError, contractWorld, type World } from './world.ts';

describe('suspicions that a list of changes leaves out', () => {
  let world: World;
  before(async () => {
    world = await contractWorld();
  });
  after(() => assertNoServerError(world));

  test('without a status, a list of changes says on every page how many suspicions it leaves out', async () => {
    const { storage } = world.backstage;
    const aoi = await putAoi(storage, world.owner);
    const suspected = { status: 'suspected', confirmedAt: null } as const;
    for (const over of [
      {},
      {},
      { ...suspected, detectedAt: '2026-01-01' },
      { ...suspected, detectedAt: '2026-02-01' },
    ]) {
      const change = changeRecord(world.collection.id, over);
      await storage.changes.insert(change);
      await storage.changes.link(change, [aoi]);
    }
    const omitted = async (query: string, method: 'GET' | 'HEAD' = 'GET') => {
      const answer = await world.service.call(`/v1/changes?aoi_id=${aoi.id}${query}`, {
        key: world.key,
        method,
      });
      assert.equal(answer.status, 200, answer.text);
      return answer.headers['x-suspected-omitted'];
    };
    assert.equal(await omitted(''), '2');
    assert.equal(await omitted('', 'HEAD'), '2');
    assert.equal(await omitted('&f=geojson'), '2');
    assert.equal(await omitted('&since=2026-01-15'), '1');
    assert.equal(await omitted('&since=2026-03-01'), '0');
    assert.equal(await omitted('&published_since=2100-01-01'), '0');
    const first = await world.service.call(`/v1/changes?aoi_id=${aoi.id}&limit=1`, { key: world.key });
    assert.equal(await omitted(`&limit=1&cursor=${String(first.json()['next_cursor'])}`), '2');
    for (const status of ['confirmed', 'suspected', 'all'])
      assert.equal(await omitted(`&status=${status}`), undefined, status);
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { InvalidInput } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { refuseMixing } from './simulated-collection.ts';

test('observed and simulated series never share a collection', () => {
  assert.doesNotThrow(() => refuseMixing('rivers', [], undefined));
  assert.doesNotThrow(() => refuseMixing('simulated-rivers', [{}], undefined));
  assert.doesNotThrow(() => refuseMixing('simulated', [{ simulated: true }], true));
  assert.throws(() => refuseMixing('simulated', [{ simulated: true }], undefined), InvalidInput);
  assert.throws(() => refuseMixing('simulated', [{}], true), InvalidInput);
});

describe('stored collections', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  test('a collection is simulated when it was stored so, whatever it is called', async () => {
    const { storage, owner } = world;
    const collection = {
      environment: owner.environment,
      accountId: owner.accountId,
      metric: 'river_flow',
      unit: 'm3/s',
    };
    const bounds = [10, 40, 10, 40] as const;
    await storage.stations.create({
      ...collection,
      id: newId('collection'),
      name: 'simulated-rivers',
      bounds,
    });
    await storage.stations.create({
      ...collection,
      id: newId('collection'),
      name: 'plain',
      bounds,
      simulated: true,
    });
    const stored = await storage.stations.covering(owner, 'river_flow', [9, 39, 11, 41]);
    assert.deepEqual(stored.map(({ name, simulated }) => `${name} ${simulated ?? false}`).toSorted(), [
      'plain true',
      'simulated-rivers false',
    ]);
  });
});

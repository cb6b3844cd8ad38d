import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { collectionRecord } from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { newId } from '../../base/ids.ts';
import { listScenes } from './read-collections.ts';

describe('scenes of a collection', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  test('are listed by its id, and by its name where one collection has it', async () => {
    const { storage, owner, others } = world;
    const only = collectionRecord({ name: 'Ponte Vecchio / 1', accountId: owner.accountId });
    const twins = ['ndvi', 'nbr'].map((metric) => collectionRecord({ name: 'twins', metric }));
    const stranger = collectionRecord({ name: 'stranger', accountId: others[1]!.accountId });
    for (const collection of [only, ...twins, stranger]) await storage.collections.create(collection);
    const list = (text: string) => listScenes(storage, owner, text, { limit: 10, after: undefined });
    for (const text of [only.name, only.id, twins[0]!.id]) assert.deepEqual((await list(text)).items, []);
    await assert.rejects(list('twins'), (error: Error) => {
      assert.equal(error.name, 'InvalidInput');
      for (const { id, metric } of twins)
        assert.ok(error.message.includes(`${id} (${metric})`), error.message);
      assert.match(error.message, /^id: expected the id of one collection; several are named twins: col_/);
      return true;
    });
    for (const text of ['ponte', 'stranger', 'a\0', stranger.id, newId('collection')])
      await assert.rejects(list(text), { name: 'NotFound', message: `There is no collection ${text}` });
  });
});

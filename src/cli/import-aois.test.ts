import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { square } from '../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../test/fixtures/storage.ts';
import { type CliContext, Incomplete } from './command.ts';
import { areasInWords, importAoisCommand } from './import-aois.ts';

test('one area is no areas', () => {
  assert.equal(areasInWords(1), '1 area');
  assert.equal(areasInWords(0), '0 areas');
  assert.equal(areasInWords(12, 'more '), '12 more areas');
});

describe('aois import --skip-faulty', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  test('prints what it made and ends as done in part, or refuses a file without a usable area', async () => {
    const accounts = await world.storage.accounts.list();
    const { name: account } = accounts.find(({ id }) => id === world.owner.accountId)!;
    const printed: unknown[] = [];
    const bring = (...areas: readonly object[]) => {
      const context = {
        open: () =>
          Promise.resolve({
            storage: world.storage,
            areaFiles: { readAreas: () => Promise.resolve(areas) },
            clock: { now: () => 0 },
          }),
        print: (_json: unknown, words: string) => printed.push(words),
        note: () => undefined,
      } as unknown as CliContext;
      const options = { account, environment: world.owner.environment, 'skip-faulty': true } as const;
      return importAoisCommand.run(context, { operands: ['parcels.geojson'], options });
    };
    const good = { name: 'a', geometry: square(1, 10, 0.001), hadHeights: false };
    const faulty = { name: 'b', problem: 'expected a polygon, got a Point' };
    await bring(good);
    await assert.rejects(bring(good, faulty), (error: Error) => {
      assert.ok(error instanceof Incomplete);
      assert.equal(error.message, '1 area of parcels.geojson cannot be used and was left out');
      return true;
    });
    assert.equal(printed.length, 2);
    assert.match(String(printed[1]), /^1 area made .*; 1 left out$/);
    await assert.rejects(
      bring(faulty),
      /^InvalidInput: 1 of 1 areas cannot be used; area 1: expected a polygon, got a Point$/,
    );
    assert.equal(printed.length, 2);
  });
});

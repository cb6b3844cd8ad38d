import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { square } from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import type { FileArea } from './area-file-reader.ts';
import { importAreas } from './import-areas.ts';

describe('the import of a file of areas', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  const area = (x: number, name?: string): FileArea => ({
    name,
    geometry: square(x, 10, 0.001),
    hadHeights: x > 60,
  });
  const plan = { title: 'parcels', from: 1, skipsFaulty: false };
  const bowtie = {
    type: 'Polygon',
    coordinates: [
      [
        [0, 0],
        [1, 1],
        [1, 0],
        [0, 1],
        [0, 0],
      ],
    ],
  };
  const bring = (areas: readonly FileArea[], over: Partial<typeof plan> = {}, steps: unknown[] = []) =>
    importAreas(world.storage, world.owner, areas, { ...plan, ...over }, (...step) => steps.push(step));
  const count = async (): Promise<number> =>
    (await world.storage.aois.list(world.owner, { limit: 10_000, after: undefined })).items.length;

  test('each area gets its name, or that of the file with its number', async () => {
    const steps: unknown[] = [];
    const areas = Array.from({ length: 120 }, (_, i) => area(i / 2, i === 0 ? ' First ' : undefined));
    const start = await count();
    const { created, faults, droppedHeights } = await bring(areas, {}, steps);
    assert.deepEqual([created.length, faults, droppedHeights], [120, [], 0]);
    assert.deepEqual(
      created.slice(0, 3).map(({ name }) => name),
      ['First', 'parcels 2', 'parcels 3'],
    );
    assert.deepEqual(steps, [
      [50, 120],
      [100, 120],
      [120, 120],
    ]);
    assert.equal(await count(), start + 120);
  });

  test('nothing is created while an area is faulty, and each fault has the number of its area', async () => {
    const areas: FileArea[] = [
      area(1),
      { name: 'b', problem: 'expected a polygon, got a Point' },
      { name: 'c', geometry: bowtie, hadHeights: false },
      area(61, 'x'.repeat(201)),
      area(62, 'hidden \u202e'),
      area(63),
    ];
    const start = await count();
    await assert.rejects(
      bring(areas),
      (
        error: Error & { readonly details?: readonly { readonly param: string; readonly message: string }[] },
      ) => {
        assert.match(error.message, /^4 of 6 areas cannot be used; area 2: expected a polygon, got a Point/);
        assert.deepEqual(
          error.details?.map(({ param }) => param),
          ['areas[1]', 'areas[2]', 'areas[3]', 'areas[4]'],
        );
        assert.match(error.details[2]!.message, /^area 4: name: expected at most 200 characters/);
        return true;
      },
    );
    assert.equal(await count(), start);
    const { created, faults, droppedHeights } = await bring(areas, { skipsFaulty: true });
    assert.deepEqual(
      created.map(({ name }) => name),
      ['parcels 1', 'parcels 6'],
    );
    assert.deepEqual([faults.map(({ number }) => number), droppedHeights], [[2, 3, 4, 5], 1]);
    await assert.rejects(
      bring(areas.slice(1, 3), { skipsFaulty: true }),
      /^InvalidInput: 2 of 2 areas cannot be used; area 1/,
    );
  });

  test('an import goes on from the number of an area', async () => {
    const { created } = await bring([area(1), area(2), area(3)], { from: 3 });
    assert.deepEqual(
      created.map(({ name }) => name),
      ['parcels 3'],
    );
  });
});

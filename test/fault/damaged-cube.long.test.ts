import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Collection } from '../../src/app/series/collection-store.ts';
import { sharedService, type TestService } from '../fixtures/service.ts';
import { clearedStack } from './cleared-stack.ts';
import { collectionState, type CollectionState } from './collection-state.ts';

const ACCOUNT = 'damaged';

describe('damaged files of a collection, beside a running service', () => {
  let service: TestService;
  let folder: string;
  let key: string;
  let collection: Collection;
  let whole: CollectionState;
  const named = ['--account', ACCOUNT, '--collection', 'wood'] as const;
  const ingest = () =>
    service.cli(
      'ingest',
      'stack',
      ...named,
      '--metric',
      'ndvi',
      '--scale',
      '0.0001',
      '--values',
      join(folder, 'values.tif'),
      '--dates',
      join(folder, 'dates.csv'),
    );
  /**
   * Requests the series of the last pixel. This pixel is stored in the last strip of a segment and in the last frame of
   * a log.
   */
  const series = () => service.call('/v1/historical?lat=45.99295&lng=14.00945&metric=ndvi', { key });
  const stateNow = async (): Promise<CollectionState> =>
    collectionState(await service.backstage(), collection);

  before(async () => {
    service = await sharedService();
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-damaged-'));
    const stack = clearedStack();
    await writeFile(join(folder, 'values.tif'), stack.values);
    await writeFile(join(folder, 'dates.csv'), stack.dates);
    await service.cli('accounts', 'create', ACCOUNT);
    const made = await service.cli(
      'keys',
      'create',
      '--account',
      ACCOUNT,
      '--scopes',
      'historical:read',
      '--limit',
      '0',
    );
    key = made['key'] as string;
    const { collection: id } = await ingest();
    const { storage } = await service.backstage();
    collection = (await storage.collections.find(id as string))!;
    whole = await stateNow();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test('flipped bits in a segment and in the last scene of the open log are told by their files, never read as values, and mended by repair and ingest', async () => {
    const cube = join(service.dataFolder, 'cubes', collection.id);
    const paths = ['.gws', '.log'].map((kind) =>
      join(
        cube,
        readdirSync(cube).find((name) => name.endsWith(kind))!,
      ),
    );
    for (const path of paths) {
      const bytes = readFileSync(path);
      bytes[bytes.length - 700]! ^= 8;
      writeFileSync(path, bytes);
    }
    const { status, text } = await series();
    assert.equal(status, 500, text);
    assert.ok(!text.includes(cube), 'callers are told no path');
    assert.ok(paths.some((path) => service.log().includes(`${path} is damaged`)));

    const namesBoth = (text: string): boolean => paths.every((path) => text.includes(path));

    await assert.rejects(service.cli('collections', 'check', ...named), (error: Error) =>
      namesBoth(error.message),
    );
    await assert.rejects(
      service.cli(
        'export',
        'stack',
        ...named,
        '--values',
        join(folder, 'out.tif'),
        '--dates',
        join(folder, 'out.csv'),
      ),
      (error: Error) => paths.some((path) => error.message.includes(`${path} is damaged`)),
    );
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('out')),
      [],
    );
    const repaired = await service.cli('collections', 'repair', ...named);
    const [{ damage, missing }] = repaired['metrics'] as [{ damage: string[]; missing: string[] }];
    assert.ok(damage.length === 2 && namesBoth(damage.join()), damage.join());
    assert.equal(missing.length, 128 + 1);
    assert.equal((await ingest())['added'], missing.length);
    assert.deepEqual(await stateNow(), whole);
    const checked = await service.cli('collections', 'check', ...named);
    assert.equal(checked['whole'], true);
    assert.equal((await series()).status, 200);
  });
});

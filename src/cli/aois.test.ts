import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { testStorage, type TestStorage } from '../../test/fixtures/storage.ts';
import { createAoiCommand } from './aois.ts';
import type { CliContext } from './command.ts';

describe('aois create', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  test('names the areas that have the same name already, and creates the new one', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'groundwatch-aois-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'a.geojson');
    const ring = [
      [14, 46],
      [14.01, 46],
      [14.01, 46.01],
      [14, 46],
    ];
    await writeFile(file, JSON.stringify({ type: 'Polygon', coordinates: [ring] }));
    const accounts = await world.storage.accounts.list();
    const { name: account } = accounts.find(({ id }) => id === world.owner.accountId)!;
    const create = async (name: string): Promise<{ id: string; notes: readonly string[] }> => {
      const notes: string[] = [];
      let id = '';
      const context = {
        open: () => Promise.resolve({ storage: world.storage }),
        print: (json: { id: string }) => (id = json.id),
        note: (text: string) => notes.push(text),
      } as unknown as CliContext;
      const options = { account, environment: world.owner.environment, name, file };
      await createAoiCommand.run(context, { operands: [], options });
      return { id, notes };
    };
    const first = await create('a valley');
    assert.deepEqual(first.notes, []);
    const second = await create(' a valley ');
    assert.notEqual(second.id, first.id);
    assert.equal(second.notes.length, 1);
    assert.match(second.notes[0]!, new RegExp(`${first.id} has the same name`));
    assert.deepEqual((await create('another valley')).notes, []);
  });

  test('reads a file in UTF-16, and names the other command for what it does not take', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'groundwatch-aois-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'a.geojson');
    const ring = [
      [14, 46],
      [14.01, 46],
      [14.01, 46.01],
      [14, 46],
    ];
    const feature = { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [ring] } };
    const accounts = await world.storage.accounts.list();
    const { name: account } = accounts.find(({ id }) => id === world.owner.accountId)!;
    let printed = 0;
    const context = {
      open: () => Promise.resolve({ storage: world.storage }),
      print: () => (printed += 1),
      note: () => undefined,
    } as unknown as CliContext;
    const create = async (content: string | Buffer): Promise<void> => {
      await writeFile(file, content);
      const options = { account, environment: world.owner.environment, name: 'from a file', file };
      await createAoiCommand.run(context, { operands: [], options });
    };
    const inSystem = (name: string, features: readonly unknown[] = [feature]): string =>
      JSON.stringify({ type: 'FeatureCollection', crs: { type: 'name', properties: { name } }, features });
    await create(Buffer.from(`\uFEFF${JSON.stringify(feature)}`, 'utf16le'));
    for (const name of ['urn:ogc:def:crs:OGC:1.3:CRS84', 'EPSG:4326', 'urn:ogc:def:crs:EPSG::4326'])
      await create(inSystem(name));
    assert.equal(printed, 4);
    await assert.rejects(
      create(inSystem('urn:ogc:def:crs:EPSG::32633')),
      /EPSG::32633: aois import converts it$/,
    );
    const two = inSystem('EPSG:4326', [feature, feature]);
    await assert.rejects(create(two), /expected one feature, got 2: aois import makes an area of each$/);
    assert.equal(printed, 4);
  });
});

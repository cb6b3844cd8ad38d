import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { noObjectServer, ObjectServer } from '../../../test/fixtures/object-server.ts';
import { entriesInFolder, type ImportEntries, importJournal } from '../../backup/import-journal.ts';
import { entriesInObjects } from './import-entries.ts';

const COLLECTIONS = ['col_a', 'col_b'];

for (const where of ['folder', 'objects'] as const)
  describe(`imports under way, in ${where}`, { skip: where === 'objects' && noObjectServer }, () => {
    let home: string;
    let server: ObjectServer | undefined;
    let entries: ImportEntries;
    before(async () => {
      home = await mkdtemp(join(tmpdir(), 'groundwatch-imports-'));
      if (where === 'objects') server = await ObjectServer.start(join(home, 'server'));
      entries =
        server === undefined ? entriesInFolder(join(home, 'imports')) : entriesInObjects(server.place);
    });
    after(async () => {
      await server?.stop();
      await rm(home, { recursive: true, force: true });
    });
    /** The only entry, with some of what it says replaced. */
    const rewrite = async (change: Readonly<Record<string, unknown>>): Promise<string> => {
      const { id, text } = (await entries.list())[0]!;
      await entries.remove(id);
      await entries.write(id, JSON.stringify({ ...(JSON.parse(text) as object), ...change }));
      return id;
    };
    const left = async () => (await importJournal(entries).left()).map(({ collectionIds }) => collectionIds);

    test('one that runs is left alone, and gone when it has ended', async () => {
      const journal = importJournal(entries);
      const id = await journal.begin(COLLECTIONS);
      assert.deepEqual(await left(), []);
      assert.equal(await journal.isHeld(id), true);
      await journal.end(id);
      assert.equal(await journal.isHeld(id), false);
      assert.deepEqual(await entries.list(), []);
    });

    test('one whose process has ended is found, also when this process has its number', async () => {
      const { pid } = spawnSync(process.execPath, ['-e', '']);
      await importJournal(entries).begin(COLLECTIONS);
      const id = await rewrite({ pid });
      assert.deepEqual(await left(), [COLLECTIONS]);
      await entries.remove(id);
      // A container that starts again gives its first process the same number.
      await importJournal(entries).begin(COLLECTIONS);
      const { id: mine, text } = (await entries.list())[0]!;
      await entries.write(`former-${where}`, text);
      await entries.remove(mine);
      assert.deepEqual(await left(), [COLLECTIONS]);
      await entries.remove(`former-${where}`);
    });

    test('one of another machine runs until it has been silent for long', async () => {
      await importJournal(entries).begin(COLLECTIONS);
      const id = await rewrite({ machine: 'another', pid: 1 });
      assert.deepEqual(await left(), []);
      const old: ImportEntries = {
        ...entries,
        list: async () =>
          (await entries.list()).map((entry) => ({ ...entry, ageMs: entry.ageMs + 31 * 60_000 })),
      };
      assert.deepEqual(await importJournal(old).left(), [{ id, collectionIds: COLLECTIONS }]);
      await entries.remove(id);
      assert.deepEqual(await entries.list(), []);
    });

    test('one that is taken for dead while it is held up does not go on, and one that spoke since is not taken', async () => {
      const slow = importJournal(entries);
      const id = await slow.begin(COLLECTIONS);
      const foreign = (text: string) =>
        JSON.stringify({ ...(JSON.parse(text) as object), machine: 'another' });
      /** What another machine finds half an hour later, if something happens after it has listed the entries. */
      const elsewhere = async (meanwhile: () => Promise<unknown>) => {
        const listed = await entries.list();
        await meanwhile();
        return importJournal({
          ...entries,
          list: async () =>
            listed.map((one) => ({ ...one, ageMs: one.ageMs + 31 * 60_000, text: foreign(one.text) })),
          replace: (at, isStill, text) => entries.replace(at, (now) => isStill(foreign(now)), text),
        }).left();
      };
      assert.deepEqual(await elsewhere(() => slow.isHeld(id)), [], 'it spoke after it was listed');
      assert.equal(await slow.isHeld(id), true);
      assert.deepEqual(await elsewhere(() => Promise.resolve()), [{ id, collectionIds: COLLECTIONS }]);
      assert.equal(await slow.isHeld(id), false, 'it was taken');
      await slow.end(id);
      assert.equal(await slow.isHeld(id), false);
      assert.deepEqual(await entries.list(), [], 'a sign of life does not bring it back');
    });
  });

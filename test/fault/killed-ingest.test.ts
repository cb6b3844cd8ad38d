import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection } from '../../src/app/series/collection-store.ts';
import { sharedService, type TestService } from '../fixtures/service.ts';
import { clearedStack } from './cleared-stack.ts';
import { collectionState, type CollectionState } from './collection-state.ts';

/** Number of kills. Full test: `GROUNDWATCH_TEST_KILLS=50 npm test -- test/fault/killed-ingest.test.ts`. */
const KILLS = Number(process.env['GROUNDWATCH_TEST_KILLS'] ?? 2);
/** Timeout for one kill and for the ingest of the remaining scenes [ms]. */
const PATIENCE_MS = 600_000;
const NAME = 'moor';

describe('an ingest killed again and again ends as one that nobody disturbed', () => {
  let service: TestService;
  let folder: string;
  let undisturbed: CollectionState;
  let durationMs: number;
  let accounts = 0;

  const ingestOf = (account: string): readonly string[] => [
    'ingest',
    'stack',
    '--account',
    account,
    '--collection',
    NAME,
    '--metric',
    'ndvi',
    '--scale',
    '0.0001',
    '--values',
    join(folder, 'values.tif'),
    '--dates',
    join(folder, 'dates.csv'),
  ];
  /**
   * Creates an account with one area. Each collection gets its own account, so that all collections can have the same
   * name: the name is part of the digests that are compared.
   */
  const newAccount = async (): Promise<string> => {
    const name = `killed-${++accounts}`;
    await service.cli('accounts', 'create', name);
    await service.cli(
      'aois',
      'create',
      '--account',
      name,
      '--name',
      'wood',
      '--file',
      join(folder, 'area.json'),
    );
    return name;
  };
  const stateOf = async (account: string): Promise<CollectionState> => {
    const backstage = await service.backstage();
    const { id } = (await backstage.storage.accounts.list()).find(({ name }) => name === account)!;
    const [collection] = await backstage.storage.collections.byName('production', id, NAME);
    return collectionState(backstage, collection as Collection);
  };
  /**
   * Runs an ingest and kills it a given time after its first scene; null: does not kill it.
   * @returns whether the ingest was killed, and its run time since its first scene
   */
  const run = async (
    account: string,
    killAfterMs: number | null,
  ): Promise<{ readonly killed: boolean; readonly ranMs: number }> => {
    const child = service.startCommand(...ingestOf(account));
    let told = '';
    const begun = new Promise<void>((resolve) => {
      child.stderr!.setEncoding('utf8').on('data', (text: string) => {
        told += text;
        if (text.includes('scenes: 1 of')) resolve();
      });
    });
    const ended = once(child, 'close') as Promise<[number | null, string | null]>;
    await Promise.race([begun, ended]);
    const start = performance.now();
    if (killAfterMs !== null) {
      await Promise.race([sleep(killAfterMs), ended]);
      child.kill('SIGKILL');
    }
    const [code, signal] = await ended;
    assert.ok(code === 0 || signal === 'SIGKILL', told);
    return { killed: signal === 'SIGKILL', ranMs: performance.now() - start };
  };

  before(async () => {
    service = await sharedService();
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-killed-'));
    const stack = clearedStack();
    await writeFile(join(folder, 'values.tif'), stack.values);
    await writeFile(join(folder, 'dates.csv'), stack.dates);
    await writeFile(join(folder, 'area.json'), stack.area);
    const calm = await newAccount();
    durationMs = (await run(calm, null)).ranMs;
    undisturbed = await stateOf(calm);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test('undisturbed it takes in every scene, finds the clearing and tells of it once', () => {
    assert.deepEqual(undisturbed.damage, []);
    assert.equal(undisturbed.scenes.length, 300);
    assert.ok(undisturbed.changes.length >= 1);
    const told = (type: string): number =>
      undisturbed.events.filter((event) => String(event).includes(type)).length;
    assert.equal(told('change.detected'), 1);
    assert.equal(told('incident.opened'), 1);
    assert.equal(told('incident.closed'), 0, 'the clearing stands');
    assert.equal(undisturbed.incidents.length, 1);
  });

  test(`${KILLS} times kill -9 at random moments`, { timeout: KILLS * PATIENCE_MS }, async () => {
    let kills = 0;
    while (kills < KILLS) {
      const account = await newAccount();
      let finished = false;
      while (!finished) {
        const killAfterMs = kills < KILLS ? Math.random() * durationMs : null;
        const { killed } = await run(account, killAfterMs);
        if (killed) kills++;
        finished = !killed;
      }
      assert.deepEqual(await stateOf(account), undisturbed);
    }
  });
});

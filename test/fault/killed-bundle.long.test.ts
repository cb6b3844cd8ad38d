import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService, type TestService } from '../fixtures/service.ts';
import { clearedStack } from './cleared-stack.ts';

/** Shares of the time of an undisturbed import after which one is killed. */
const KILLED_AT = [0.02, 0.2, 0.35, 0.6];
/** Most imports that are killed, where too few were killed half-way at these moments. */
const MOST_KILLS = 12;
const NAME = 'moor';

describe('an import of a bundle that is killed is there whole or not at all', () => {
  let service: TestService;
  let folder: string;
  let bundle: string;
  let accounts = 0;
  before(async () => {
    service = await startService();
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-killed-bundle-'));
    bundle = join(folder, 'moor.bundle');
    const stack = clearedStack();
    for (const [name, content] of [
      ['values.tif', stack.values],
      ['dates.csv', stack.dates],
    ] as const)
      await writeFile(join(folder, name), content);
    await service.cli('accounts', 'create', 'bundle-giver');
    const named = [
      '--account',
      'bundle-giver',
      '--collection',
      NAME,
      '--metric',
      'ndvi',
      '--scale',
      '0.0001',
    ];
    const files = ['--values', join(folder, 'values.tif'), '--dates', join(folder, 'dates.csv')];
    await service.cli('ingest', 'stack', ...named, ...files);
    const box = ['--bbox', '13.99,45.98,14.02,46.01', '--account', 'bundle-giver'];
    await service.cli('bundle', 'create', ...box, '--out', bundle);
  });
  after(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const newAccount = async (): Promise<{ readonly name: string; readonly id: string }> => {
    const name = `bundle-taker-${++accounts}`;
    const { id } = (await service.cli('accounts', 'create', name)) as { id: string };
    return { name, id };
  };
  /** Digests of the scenes of the collection of an account, as they are recorded; undefined: it has none. */
  const scenesOf = async (accountId: string): Promise<readonly string[] | undefined> => {
    const { storage } = await service.backstage();
    const [collection] = await storage.collections.byName('production', accountId, NAME);
    if (collection === undefined) return undefined;
    return (await storage.collections.scenes(collection.id)).map(({ key, sha256 }) => `${key} ${sha256}`);
  };
  /** Runs an import, and kills its process a time after its first word. @returns whether it was killed */
  const run = async (account: string, killAfterMs: number | null) => {
    const child = service.startCommand('bundle', 'import', bundle, '--account', account, '--no-wait');
    let told = '';
    const begun = new Promise<void>((resolve) => {
      child.stderr!.setEncoding('utf8').on('data', (text: string) => {
        told += text;
        resolve();
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
    return { isKilled: signal === 'SIGKILL', ranMs: performance.now() - start };
  };
  /** Folders of cubes that no collection has. */
  const orphans = async (): Promise<readonly string[]> => {
    const { storage } = await service.backstage();
    const known = (await storage.collections.list()).map(({ id }) => id);
    const folders = await readdir(join(service.dataFolder, 'cubes'));
    return folders.filter((name) => !known.some((id) => name.startsWith(id)));
  };

  test('killed at four moments; the next import removes what was left', async (t) => {
    const calm = await newAccount();
    const { ranMs } = await run(calm.name, null);
    const whole = await scenesOf(calm.id);
    assert.ok(whole !== undefined && whole.length >= 100, `${whole?.length} scenes`);
    const before = await orphans();
    let kills = 0;
    let partial = 0;
    const moments = [...KILLED_AT];
    for (const [tried, share] of moments.entries()) {
      const { name, id } = await newAccount();
      const { isKilled } = await run(name, share * ranMs);
      if (isKilled) kills++;
      const found = await scenesOf(id);
      if (found !== undefined) assert.deepEqual(found, whole, `killed at ${share}`);
      if ((await orphans()).length > before.length) partial++;
      await run(name, null);
      assert.deepEqual(await scenesOf(id), whole);
      assert.deepEqual(await orphans(), before, `what was left at ${share} is removed`);
      // The machine may have been busier when the import was measured, or be so now.
      const isLast = tried === moments.length - 1;
      if (isLast && (kills < 2 || partial < 1) && tried < MOST_KILLS) moments.push(Math.random() / 2);
    }
    t.diagnostic(`${kills} killed, ${partial} of them with samples that were not recorded yet`);
    assert.ok(kills >= 2 && partial >= 1, `${kills} killed, ${partial} partial; an import takes ${ranMs} ms`);
  });
});

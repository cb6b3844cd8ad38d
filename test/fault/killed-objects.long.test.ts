import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection } from '../../src/app/series/collection-store.ts';
import { ObjectCubeStore } from '../../src/cube/objects/object-cube-store.ts';
import { noObjectServer, ObjectServer } from '../fixtures/object-server.ts';
import { startService, type TestService } from '../fixtures/service.ts';
import { clearedStack } from './cleared-stack.ts';
import { collectionState, type CollectionState } from './collection-state.ts';

const PATIENCE_MS = 900_000;
const NAME = 'moor';
/** Times after the first scene at which the ingest is killed [ms]; at some of them the object server too. */
const KILLS = [700, 1500, 2500] as const;

describe('a service whose cubes are in objects', { skip: noObjectServer }, () => {
  let [service, server]: [TestService?, ObjectServer?] = [];
  let folder: string;
  const nodes: ObjectCubeStore[] = [];

  const newAccount = async (name: string): Promise<void> => {
    await service!.cli('accounts', 'create', name);
    const file = join(folder, 'area.json');
    await service!.cli('aois', 'create', '--account', name, '--name', 'wood', '--file', file);
  };
  const ingest = (account: string) =>
    service!.startCommand(
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
    );
  /** Runs an ingest; kills it, and the object server with it, some time after its first scene. */
  const run = async (account: string, killAfterMs: number | null): Promise<boolean> => {
    const child = ingest(account);
    let told = '';
    const begun = new Promise<void>((resolve) => {
      child.stderr!.setEncoding('utf8').on('data', (text: string) => {
        told += text;
        if (text.includes('scenes: 1 of')) resolve();
      });
    });
    const ended = once(child, 'close') as Promise<[number | null, string | null]>;
    await Promise.race([begun, ended]);
    if (killAfterMs !== null) {
      await Promise.race([sleep(killAfterMs), ended]);
      await server!.kill();
      child.kill('SIGKILL');
      await server!.run();
    }
    const [code, signal] = await ended;
    assert.ok(code === 0 || signal === 'SIGKILL', told);
    return signal === 'SIGKILL';
  };
  /** The state of a collection as a node with an empty disk reads it. */
  const stateOf = async (account: string): Promise<CollectionState> => {
    const backstage = await service!.backstage();
    const place = { ...server!.place, prefix: 'unit/' };
    const cache = join(folder, `node${nodes.length}`);
    const cube = new ObjectCubeStore({ place, cache, cacheBytes: 1e9 });
    nodes.push(cube);
    const { id } = (await backstage.storage.accounts.list()).find(({ name }) => name === account)!;
    const [collection] = await backstage.storage.collections.byName('production', id, NAME);
    return collectionState({ ...backstage, cube }, collection as Collection);
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-killed-objects-'));
    server = await ObjectServer.start(join(folder, 'bucket'));
    const { endpoint, bucket, credentials } = server.place;
    service = await startService({
      GROUNDWATCH_OBJECTS: `s3://${bucket}/unit?endpoint=${endpoint}`,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    });
    const stack = clearedStack();
    await writeFile(join(folder, 'values.tif'), stack.values);
    await writeFile(join(folder, 'dates.csv'), stack.dates);
    await writeFile(join(folder, 'area.json'), stack.area);
  });
  after(async () => {
    for (const node of nodes) await node.close();
    await service?.stop();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test(
    'kill -9 of the ingest and of the object server changes no answer',
    { timeout: PATIENCE_MS },
    async () => {
      await newAccount('calm');
      assert.equal(await run('calm', null), false);
      const undisturbed = await stateOf('calm');
      assert.deepEqual(undisturbed.damage, []);
      assert.equal(undisturbed.scenes.length, 300);
      assert.ok(undisturbed.changes.length >= 1);

      await newAccount('killed');
      let kills = 0;
      for (const ms of KILLS) {
        if (await run('killed', ms)) kills++;
        await rm(join(service!.dataFolder, 'objects-cache'), {
          recursive: true,
          force: true,
        });
      }
      assert.ok(kills > 0, 'every ingest ended before it was killed');
      assert.equal(await run('killed', null), false);
      assert.deepEqual(await stateOf('killed'), undisturbed);
      const { findings } = (await service!.cli('doctor')) as {
        readonly findings?: readonly {
          readonly part: string;
          readonly status: string;
        }[];
      };
      assert.equal(findings?.find(({ part }) => part === 'objects')?.status, 'ok');
    },
  );
});

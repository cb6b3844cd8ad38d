import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CubeSpec } from '../../src/app/series/cube-store.ts';
import { FolderCubeStore } from '../../src/cube/folder-cube-store.ts';
import { MovingCubeStore, type MovingCubesAt } from '../../src/cube/moving/moving-cube-store.ts';
import { ObjectCubeStore } from '../../src/cube/objects/object-cube-store.ts';
import { noObjectServer, ObjectServer } from '../fixtures/object-server.ts';
import { testProcess } from '../fixtures/program.ts';

/** Number of kills. Full test: `GROUNDWATCH_TEST_KILLS=50 npm test -- test/fault/killed-move.long.test.ts`. */
const KILLS = Number(process.env['GROUNDWATCH_TEST_KILLS'] ?? 2);
/** Times after the beginning of a move at which it is killed [ms]: the first at once, so that the others find some work. */
const killTime = (kill: number): number => (kill === 0 ? 0 : Math.random() * 60 * (kill + 1));
const CUBES = Array.from({ length: 3 }, (_, i) => `cube${i}`);
const SPEC: CubeSpec = { width: 64, height: 64, sampleType: 'int16' };
const PIXELS = SPEC.width * SPEC.height;
const SCENES = 9;
const DAY = 86_400_000;
const OPTIONS = { closeAt: 8 };
const PROGRAM = testProcess('test/fault/moving-node.ts');

const sceneOf = (i: number) =>
  [
    { key: `s${i}`, timeMs: i * DAY },
    Int16Array.from({ length: PIXELS }, (_, p) => (p * 31 + i * 977) % 9000),
  ] as const;

type Target = MovingCubesAt['to'];

describe('a move to objects and back that is killed', { skip: noObjectServer }, () => {
  let [folder, server]: [string?, ObjectServer?] = [];
  const opened: { close(): Promise<void> }[] = [];
  const atNode = (name: string, to: Target): MovingCubesAt => ({
    folder: join(folder!, 'cubes'),
    objects: { place: server!.place, cache: join(folder!, name), cacheBytes: 1e9 },
    to,
  });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-killed-move-'));
    server = await ObjectServer.start(join(folder, 'bucket'));
  });
  after(async () => {
    for (const each of opened) await each.close();
    await server?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  /** Runs a move, and kills it after a time. @returns whether it was killed */
  const move = async (to: Target, killAfterMs: number | null): Promise<boolean> => {
    const given = JSON.stringify({ cubes: CUBES, at: atNode('mover', to) });
    const child = spawn(process.execPath, [PROGRAM, given], { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'close') as Promise<[number | null, string | null]>;
    let [told, printed] = ['', ''];
    child.stderr.setEncoding('utf8').on('data', (text: string) => (told += text));
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    if (killAfterMs !== null) {
      await Promise.race([once(child.stdout, 'data'), ended]);
      await Promise.race([sleep(killAfterMs), ended]);
      child.kill('SIGKILL');
    }
    const [code, signal] = await ended;
    assert.ok(code === 0 || signal === 'SIGKILL', told);
    if (code === 0) assert.equal(printed.split('\n').length, CUBES.length + 2);
    return signal === 'SIGKILL';
  };

  test('loses no scene that was acknowledged, and a second run ends it', async (t) => {
    const oracle = new FolderCubeStore(join(folder!, 'oracle'), OPTIONS);
    const source = new FolderCubeStore(join(folder!, 'cubes'), OPTIONS);
    opened.push(oracle);
    let next = SCENES;
    for (const cube of CUBES) {
      await source.create(cube, SPEC);
      for (let i = 0; i < next; i++) await source.append(cube, ...sceneOf(i));
    }
    await source.close();
    const places = {
      objects: () => new ObjectCubeStore(atNode('node', 'objects').objects, OPTIONS),
      folder: () => new FolderCubeStore(join(folder!, 'cubes'), OPTIONS),
    };
    for (const to of ['objects', 'folder'] as const) {
      const writer = new MovingCubeStore(atNode('writer', to), OPTIONS);
      opened.push(writer);
      const over = new AbortController();
      const from = next;
      const write = async (): Promise<void> => {
        for (; !over.signal.aborted; next++) {
          for (const cube of CUBES) {
            await writer.append(cube, ...sceneOf(next));
            const seen = await writer.scenes(cube);
            assert.equal(seen.length, next + 1, `${cube} after scene ${next}, to the ${to}`);
          }
          await sleep(100);
        }
      };
      const writing = write();
      let kills = 0;
      for (let kill = 0; kill < KILLS; kill++) if (await move(to, killTime(kill))) kills++;
      assert.equal(await move(to, null), false);
      over.abort();
      await writing;
      t.diagnostic(`to the ${to}: ${kills} of ${KILLS} killed, ${next - from} scenes written meanwhile`);
      assert.ok(kills > 0, 'every move ended before it was killed');

      const node = places[to]();
      opened.push(node);
      for (const cube of CUBES) {
        await oracle.create(cube, SPEC);
        for (let i = 0; i < next; i++) await oracle.append(cube, ...sceneOf(i));
        assert.deepEqual(await node.scenes(cube), await oracle.scenes(cube));
        assert.deepEqual(await node.readStrip(cube, 0, PIXELS), await oracle.readStrip(cube, 0, PIXELS));
        assert.deepEqual(await node.check(cube), []);
      }
    }
  });
});

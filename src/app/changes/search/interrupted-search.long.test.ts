import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { makeStack, searchStack, TIMES } from '../../../../test/fixtures/searched-stack.ts';
import type { FoundChange } from './found-change.ts';
import { testProcess } from '../../../../test/fixtures/program.ts';

const PROGRAM = testProcess('test/fixtures/searched-stack.ts');

describe('a search whose process was killed', () => {
  let root: string;
  let folder: string;
  /** What the killed process left. */
  let left: string;
  let undisturbed: readonly FoundChange[];
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'groundwatch-interrupted-'));
    folder = join(root, 'ndvi');
    await makeStack(root);
    undisturbed = await searchStack(root, false);
    await kill();
    left = join(root, 'left');
    await mkdir(left);
    for (const path of [...(await named('.state-part')), ...(await named('.state-journal'))])
      await cp(path, join(left, basename(path)));
  });
  after(() => rm(dirname(left), { recursive: true }));

  const named = async (suffix: string): Promise<readonly string[]> =>
    (await readdir(folder)).filter((name) => name.endsWith(suffix)).map((name) => join(folder, name));
  /** Lines of the journal that were written to their end: a kill may tear the last one. */
  const lines = async (): Promise<readonly string[]> => {
    const [path] = await named('.state-journal');
    return path === undefined ? [] : (await readFile(path, 'utf8')).split('\n').slice(0, -1);
  };
  /** Starts a search and kills its process when it has followed some of the strips. */
  const kill = async (
    begin = (): Promise<void> => rm(join(folder, 'monitoring.state'), { force: true }),
  ): Promise<void> => {
    await begin();
    const followed = async (): Promise<number> =>
      (await lines()).filter((line) => line.startsWith('["follow ')).length;
    for (;;) {
      const child = spawn(process.execPath, [PROGRAM, 'search', root], { stdio: 'inherit' });
      const ended = once(child, 'exit');
      while (child.exitCode === null && (await followed()) === 0) await sleep(1);
      child.kill('SIGKILL');
      await ended;
      if ((await followed()) > 0) return;
      await begin(); // it was too fast: once more
    }
  };
  /** Puts back what the killed process left, last touched some time ago. */
  const putBack = async (agoMs: number): Promise<void> => {
    for (const path of [...(await named('.state-part')), ...(await named('.state-journal'))]) await rm(path);
    await rm(join(folder, 'monitoring.state'), { force: true });
    await cp(left, folder, { recursive: true });
    const past = new Date(Date.now() - agoMs);
    for (const path of await named('.state-part')) await utimes(path, past, past);
  };

  test('is gone on with from its last saved part, and finds the same', async () => {
    assert.ok(undisturbed.length > 0);
    assert.ok((await lines()).some((line) => line.startsWith('["contexts 0"')));
    await putBack(10_000);
    assert.deepEqual(await searchStack(root, true), undisturbed);
    assert.deepEqual([...(await named('.state-part')), ...(await named('.state-journal'))], []);
    // The next search uses the finished state like any other.
    assert.deepEqual(await searchStack(root, true), undisturbed);
  });

  test('cannot be gone on with without the events of its strips, which shows that they are used; the next search can', async () => {
    await putBack(10_000);
    const [path] = await named('.state-journal');
    const whole = await readFile(path!, 'utf8');
    const damaged = whole.replace(/^(\["follow [^\]]*\],")[^"]*"/m, '$1AAAA"');
    assert.notEqual(damaged, whole);
    await writeFile(path!, damaged);
    await assert.rejects(searchStack(root, true));
    assert.deepEqual([...(await named('.state-part')), ...(await named('.state-journal'))], []);
  });

  test('is not gone on with while its process may live, nor from damaged parts', async () => {
    await putBack(-60_000); // as if its process touched it all the time: this search may be slow
    assert.deepEqual(await searchStack(root, true), undisturbed);
    assert.equal((await named('.state-part')).length, 1, 'what is left is not touched');
    await putBack(10_000);
    const [part] = await named('.state-part');
    const [journal] = await named('.state-journal');
    await writeFile(part!, (await readFile(part!)).fill(7));
    // The last line is torn, and one is about more than the file has.
    await writeFile(journal!, `${await readFile(journal!, 'utf8')}["follow 0 2",[0,99999999],"AA"]\n["fol`);
    await utimes(part!, new Date(0), new Date(Date.now() - 10_000));
    assert.deepEqual(await searchStack(root, true), undisturbed);
  });

  test('after a few scenes more has left its events only, and is gone on with too', async () => {
    root = join(root, 'few');
    folder = join(root, 'ndvi');
    await makeStack(root, TIMES - 2);
    await searchStack(root, true);
    await makeStack(root);
    const state = await readFile(join(folder, 'monitoring.state'));
    // A search that ends before it is killed has followed the scenes: the next one would have nothing to do.
    const fromState = () => writeFile(join(folder, 'monitoring.state'), state);
    await kill(fromState);
    const [part] = await named('.state-part');
    const [journal] = await named('.state-journal');
    assert.ok((await readFile(part!)).byteLength < 100, 'no states');
    const whole = await readFile(journal!, 'utf8');
    await utimes(part!, new Date(0), new Date(Date.now() - 10_000));
    const damaged = whole.replace(/^(\["follow [^\]]*\],")[^"]*"/m, '$1AAAA"');
    assert.notEqual(damaged, whole);
    await writeFile(journal!, damaged);
    assert.deepEqual(
      await searchStack(root, true),
      undisturbed,
      'the search starts again from the first scene',
    );
    assert.notDeepEqual(await readFile(join(folder, 'monitoring.state')), state, 'the events were used');

    await kill(fromState);
    const [later] = await named('.state-part');
    await utimes(later!, new Date(0), new Date(Date.now() - 10_000));
    assert.deepEqual(await searchStack(root, true), undisturbed);
    assert.deepEqual(
      await readFile(join(folder, 'monitoring.state')),
      state,
      'and the state stays as it was',
    );
    assert.deepEqual([...(await named('.state-part')), ...(await named('.state-journal'))], []);
  });
});

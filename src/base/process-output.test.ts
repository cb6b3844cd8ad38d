import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, openSync, closeSync } from 'node:fs';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';

const MODULE = new URL('process-output.ts', import.meta.url).href;

/** A program that writes and then goes on for a while. @param text as an expression */
const program = (isService: boolean, text: string): string[] => [
  '--input-type=module',
  '--eval',
  `import { surviveLostOutput } from ${JSON.stringify(MODULE)};
   surviveLostOutput(${isService});
   for (let i = 0; i < 3; i++) {
     process.stdout.write(${text});
     process.stderr.write('line ' + i + '\\n');
     await new Promise((resolve) => setTimeout(resolve, 20));
   }`,
];

/** Runs it with standard output or standard error on a disk without room. */
function onFullDisk(t: TestContext, full: 'stdout' | 'stderr', isService: boolean) {
  const fd = openSync('/dev/full', 'w');
  t.after(() => closeSync(fd));
  const stdio = ['ignore', full === 'stdout' ? fd : 'pipe', full === 'stderr' ? fd : 'pipe'] as const;
  return spawnSync(process.execPath, program(isService, `'out\\n'`), { stdio: [...stdio], encoding: 'utf8' });
}

const skip = !existsSync('/dev/full');

test('a command whose output finds no room says so once, does its work and ends with 1', { skip }, (t) => {
  const { status, stderr } = onFullDisk(t, 'stdout', false);
  const told = 'groundwatch: the output could not be written: ENOSPC: no space left on device, write\n';
  assert.deepEqual([status, stderr], [1, `${told}line 0\nline 1\nline 2\n`]);
});

test('a service whose log finds no room goes on', { skip }, (t) => {
  for (const isService of [true, false]) {
    const { status, stdout } = onFullDisk(t, 'stderr', isService);
    assert.deepEqual([status, stdout], [0, 'out\nout\nout\n']);
  }
  assert.deepEqual(onFullDisk(t, 'stdout', true).status, 0);
});

test('a command whose reader has gone does its work in silence and ends with 1', async () => {
  const child = spawn(process.execPath, program(false, `'x'.repeat(1_000_000)`), {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  const [stderr, [status]] = await Promise.all([child.stderr.toArray(), once(child, 'exit')]);
  assert.deepEqual([status, stderr.join('')], [1, 'line 0\nline 1\nline 2\n']);
});

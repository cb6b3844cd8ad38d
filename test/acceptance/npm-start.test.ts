import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

/** A program that says when it runs, and ends a moment after SIGTERM with a code of its own. */
const PROGRAM = `
process.once('SIGTERM', () => setTimeout(() => { console.log('stopped in order'); process.exit(7); }, 200));
setTimeout(() => process.exit(8), 60_000);
console.log('runs ' + process.argv[2] + ' as ' + process.pid);
`;

test(
  'SIGTERM to npm reaches the service that npm start started, and npm waits for its end',
  { skip: process.platform === 'win32' && 'Windows has no SIGTERM' },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'groundwatch-npm-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const ours = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
      scripts: { start: string };
    };
    const { start } = ours.scripts;
    await mkdir(join(folder, 'bin'));
    await writeFile(join(folder, 'bin', 'groundwatch.js'), PROGRAM);
    await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'stub', scripts: { start } }));
    const npm = spawn('npm', ['start'], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(npm, 'close') as Promise<[number | null, string | null]>;
    let said = '';
    let pid: number | undefined;
    for await (const chunk of npm.stdout.setEncoding('utf8') as AsyncIterable<string>) {
      said += chunk;
      const running = /runs serve as (\d+)/.exec(said)?.[1];
      if (running === undefined || pid !== undefined) continue;
      pid = Number(running);
      npm.kill('SIGTERM');
    }
    // The output ends only when the last process that holds it has ended.
    assert.match(said, /stopped in order/);
    assert.deepEqual(await ended, [7, null]);
  },
);

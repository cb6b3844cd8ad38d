import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import packageJson from '../../package.json' with { type: 'json' };
import { runInService } from '../../src/main/command-socket.ts';
import { PROGRAM } from '../fixtures/program.ts';
import { sharedService } from '../fixtures/service.ts';

test('a running service runs light commands, as the user who asked, and leaves others to their process', async (t) => {
  const service = await sharedService();
  const ask = async (...argv: readonly string[]) => {
    const lines: string[] = [];
    const output = { out: (text: string) => lines.push(text), err: (text: string) => lines.push(text) };
    const request = { version: packageJson.version, settings: {}, user: 'ada', argv };
    return { code: await runInService(service.dataFolder, request, output), text: lines.join('\n') };
  };
  const made = await ask('accounts', 'create', 'by-socket', '--json');
  assert.equal(made.code, 0);
  const { id } = JSON.parse(made.text) as { id: string };
  const again = await ask('accounts', 'create', 'by-socket');
  assert.equal(again.code, 2);
  assert.match(again.text, /There is an account named by-socket already/);
  const wrong = await ask('keys', 'create', '--acount', 'by-socket');
  assert.deepEqual([wrong.code, /--acount/.test(wrong.text)], [2, true]);

  const { accounts } = (await service.cliWith({}, 'accounts', 'list')) as { accounts: { id: string }[] };
  assert.ok(accounts.some((account) => account.id === id));
  await service.cliWith({}, 'accounts', 'create', 'by-command');

  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-audit-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'audit.jsonl');
  await service.cli('audit', 'export', file);
  const actors = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { actor: string; action: string; target: string | null })
    .filter(({ action, target }) => action === 'accounts create' && target !== null)
    .map(({ actor }) => actor);
  assert.ok(actors.includes('operator ada'), actors.join());
  assert.ok(actors.includes(`operator ${userInfo().username}`), actors.join());

  for (const argv of [
    ['serve'],
    ['backup', 'x'],
    ['aois', 'create'],
    ['accounts', 'create', '--help'],
    ['no'],
    [],
  ])
    assert.equal((await ask(...argv)).code, undefined, argv.join(' '));
});

test('a command waits for a slow reader of a pipe', () => {
  const [read, slow] = ['wc -c', '(sleep 8; wc -c)'].map((reader) =>
    Number(execFileSync('sh', ['-c', `"$0" "$1" completion fish | ${reader}`, process.execPath, PROGRAM])),
  );
  assert.ok(read! > 65_536, 'a pipe holds all of it');
  assert.equal(slow, read);
});

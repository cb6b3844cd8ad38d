import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from './run.ts';

/** Runs a command line that does not open an installation. */
async function run(...words: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = {
    out: (line: string) => out.push(line),
    err: (line: string) => err.push(line),
    version: '1.2.3',
  };
  const refuse = () => Promise.reject(new Error('not here'));
  const code = await runCommand(words, terminal, { open: refuse, serve: refuse });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

test('all missing options are named at once', async () => {
  const { code, err } = await run('keys', 'create');
  assert.equal(code, 2);
  assert.match(err, /^groundwatch keys create: --account, --scopes are required\n/);
  assert.match((await run('keys', 'create', '--scopes', 'all')).err, /: --account is required\n/);
});

test('the first word of several commands lists them, with and without --help', async () => {
  const bare = await run('keys');
  assert.equal(bare.code, 2);
  assert.match(bare.err, /keys create, keys list, keys rotate, keys revoke/);
  const { code, out } = await run('keys', '--help');
  assert.equal(code, 0);
  assert.match(out, /keys revoke ID/);
  assert.doesNotMatch(out, /accounts create/);
});

test('--version, an unknown command and excess operands', async () => {
  assert.deepEqual(await run('--version'), { code: 0, out: '1.2.3', err: '' });
  assert.match((await run('acounts', 'list')).err, /there is no command acounts list: groundwatch --help/);
  assert.match((await run('accounts', 'create')).err, /expected NAME, got nothing/);
  const reversed = await run('accounts', 'create', 'a\u202eb');
  assert.equal(reversed.code, 2);
  assert.match(reversed.err, /NAME: expected text without control characters .*, got U\+202E/);
});

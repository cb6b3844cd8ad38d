import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedActs } from '../../test/fixtures/recorded-acts.ts';
import type { CliDeps, Command, Given } from './command.ts';
import { COMMANDS } from './commands.ts';
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
  const code = await runCommand(COMMANDS, words, terminal, { open: refuse, serve: refuse });
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
  assert.match((await run('acounts', 'list')).err, /no command acounts list: did you mean accounts list\?/);
  assert.match((await run('frobnicate')).err, /there is no command frobnicate: groundwatch --help/);
  assert.match((await run('accounts', 'create')).err, /expected NAME, got nothing/);
  const reversed = await run('accounts', 'create', 'a\u202eb');
  assert.equal(reversed.code, 2);
  assert.match(reversed.err, /NAME: expected text without control characters .*, got U\+202E/);
});

test('an unknown option, a missing value and one too many are told in words', async () => {
  for (const [words, message] of [
    [
      ['keys', 'create', '--acount', 'a'],
      /keys create: there is no option --acount; did you mean --account\?\n/,
    ],
    [['keys', 'create', '--sopes=all'], /there is no option --sopes; did you mean --scopes\?\n/],
    [['keys', 'create', '-x'], /there is no option -x\n/],
    [['keys', 'create', '--account'], /--account needs a value\n/],
    [['keys', 'create', '--json=1'], /--json takes no value\n/],
  ] as const) {
    const { code, err } = await run(...words);
    assert.equal(code, 2);
    assert.match(err, message);
  }
});

test('an option is also taken by its former name, which no help shows', async () => {
  const seen: unknown[] = [];
  const version = { value: 'V', meaning: 'a version', required: true, formerly: 'layer-version' };
  const make = {
    name: 'make',
    summary: '',
    options: { version },
    run: async (_: unknown, given: Given) => {
      seen.push(given.options);
    },
  };
  const lines: string[] = [];
  const terminal = {
    out: (line: string) => lines.push(line),
    err: (line: string) => lines.push(line),
    version: '',
  };
  const world = { open: () => Promise.reject(new Error('not here')), serve: () => Promise.resolve() };
  const runMake = (...argv: string[]) => runCommand([make], ['make', ...argv], terminal, world);
  assert.equal(await runMake('--version', 'a'), 0);
  assert.equal(await runMake('--layer-version', '-1'), 0);
  assert.deepEqual(
    seen.map((options) => ({ ...(options as object) })),
    [{ version: 'a' }, { version: '-1' }],
  );
  assert.equal(await runMake('--help'), 0);
  assert.doesNotMatch(lines.join(), /layer-version/);
  assert.equal(await runMake('--version', 'a', '--layer-version', 'a'), 2);
  assert.match(lines.join(), /--layer-version is the former name of --version: give one/);
});

test('a command about something of one account is recorded as of that account', async () => {
  const { storage, acts } = recordedActs();
  const points = { id: 'col_1', name: 'theirs', metric: 'rain' };
  const deps = {
    storage: {
      ...storage,
      accounts: { byName: (name: string) => Promise.resolve({ id: `acc_${name}` }) },
      collections: { byName: () => Promise.resolve([]) },
      stations: { byName: () => Promise.resolve([points]), remove: () => Promise.resolve() },
    },
  } as unknown as CliDeps;
  const world = { open: () => Promise.resolve(deps), serve: () => Promise.reject(new Error('not here')) };
  const terminal = { out: () => undefined, err: (line: string) => assert.fail(line), version: '' };
  const remove = ['collections', 'remove', '--collection', 'theirs'];
  assert.equal(await runCommand(COMMANDS, [...remove, '--account', 'acme'], terminal, world), 0);
  assert.equal(await runCommand(COMMANDS, remove, terminal, world), 0);
  assert.deepEqual(
    acts.map(({ action, target, accountId }) => [action, target, accountId]),
    [
      ['collections remove', 'theirs', 'acc_acme'],
      ['collections remove', 'theirs', null],
    ],
  );
});

test('an account reads in its audit log the name of a file that the operator read, not its folder', async () => {
  const { storage, acts } = recordedActs();
  const deps = {
    storage: { ...storage, accounts: { byName: (name: string) => Promise.resolve({ id: `acc_${name}` }) } },
  } as unknown as CliDeps;
  const world = { open: () => Promise.resolve(deps), serve: () => Promise.reject(new Error('not here')) };
  const terminal = { out: () => undefined, err: (line: string) => assert.fail(line), version: '' };
  const read: Command = {
    name: 'files read',
    summary: 'Read a file',
    operands: ['FILE'],
    options: { account: { value: 'NAME', meaning: 'whose it is' } },
    audited: true,
    run: () => Promise.resolve(),
  };
  await runCommand([read], ['files', 'read', '/srv/private/areas.kml', '--account', 'acme'], terminal, world);
  await runCommand([read], ['files', 'read', '/srv/private/areas.kml'], terminal, world);
  assert.deepEqual(
    acts.map(({ target, accountId }) => [target, accountId]),
    [
      ['areas.kml', 'acc_acme'],
      ['/srv/private/areas.kml', null],
    ],
  );
});

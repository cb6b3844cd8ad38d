import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readersOf } from './account-option.ts';
import { COMMANDS } from './commands.ts';
import { commandHelp } from './help.ts';

test('who can read what was ingested is said: all accounts of the environment, or the one that was named', () => {
  const given = (options: Readonly<Record<string, string>>) => ({ operands: [], options });
  assert.equal(
    readersOf(given({})),
    'All accounts of production can read it; --account NAME keeps it to one.',
  );
  assert.equal(
    readersOf(given({ environment: 'sandbox' })),
    'All accounts of sandbox can read it; --account NAME keeps it to one.',
  );
  assert.equal(readersOf(given({ account: 'acme' })), 'Only the account acme can read it.');
});

test('the help of each command that ingests says who can read it without --account', () => {
  const ingests = COMMANDS.filter(({ name }) => name.startsWith('ingest '));
  assert.ok(ingests.length >= 5);
  for (const command of ingests)
    assert.match(commandHelp(command), /private to \(default all accounts of the environment can read it\)/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkInstallation } from './installation-check.ts';

test('a check that needs a failed part is skipped with a warning', async () => {
  const look = () => Promise.reject(new Error('broken'));
  const found = [];
  const checks = [
    { part: 'a', remedy: 'mend a', look },
    { part: 'b', needs: 'a', remedy: 'mend b', look },
    { part: 'c', needs: 'b', remedy: 'mend c', look },
  ];
  for await (const { part, status, found: what } of checkInstallation(checks))
    found.push([part, status, what]);
  assert.deepEqual(found, [
    ['a', 'fail', 'broken'],
    ['b', 'warn', 'not looked at: a failed'],
    ['c', 'warn', 'not looked at: b failed'],
  ]);
});

test("every part is checked, and an exception is a failure with the check's remedy", async () => {
  const found = [];
  const checks = [
    { part: 'a', remedy: 'x', look: async () => ({ status: 'ok', found: 'fine' }) as const },
    { part: 'b', remedy: 'mend it', look: () => Promise.reject(new Error('broken')) },
    {
      part: 'c',
      remedy: 'x',
      look: async () =>
        [
          { status: 'warn', found: 'odd', remedy: 'look' },
          { status: 'ok', found: 'else' },
        ] as const,
    },
  ];
  for await (const finding of checkInstallation(checks)) found.push(finding);
  assert.deepEqual(found, [
    { part: 'a', status: 'ok', found: 'fine' },
    { part: 'b', status: 'fail', found: 'broken', remedy: 'mend it' },
    { part: 'c', status: 'warn', found: 'odd', remedy: 'look' },
    { part: 'c', status: 'ok', found: 'else' },
  ]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Membership } from '../../src/contract/people/session.ts';
import { chosen } from './choice.ts';

const member = (id: string): Membership => ({
  id: `mbr_${id}`,
  account: { id: `acc_${id}`, name: id },
  email: 'ada@example.com',
  role: 'viewer',
});

test('goes on with the last choice while it is possible', () => {
  const both = [member('a'), member('b')];
  const of = (kept: string | null, memberships = both) => {
    const found = chosen(memberships, kept);
    return found && `${found.membership.account.name} ${found.environment}`;
  };
  assert.equal(of(null), 'a production');
  assert.equal(of(JSON.stringify({ accountId: 'acc_b', environment: 'sandbox' })), 'b sandbox');
  assert.equal(of(JSON.stringify({ accountId: 'acc_gone', environment: 'sandbox' })), 'a sandbox');
  assert.equal(of(JSON.stringify({ accountId: 'acc_b', environment: 'everything' })), 'b production');
  for (const torn of ['', '{', 'null', '7', '"text"', '[]']) assert.equal(of(torn), 'a production', torn);
  assert.equal(of(null, []), undefined);
});

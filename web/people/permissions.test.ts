import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { ROLE_SCOPES, ROLES } from '../../src/contract/people/roles.ts';
import { type Action, ACTIONS, refusalOf } from './permissions.ts';

test('the console knows the scopes of each action as the contract declares them', () => {
  for (const [id, { scopes }] of Object.entries(ACTIONS)) {
    const operation = OPERATIONS.find((one) => one.id === id);
    assert.deepEqual(operation?.scopes, scopes, id);
  }
});

test('says to whom what is not possible', () => {
  const person = (role: (typeof ROLES)[number]) => ({
    scopes: ROLE_SCOPES[role],
    person: {
      membership: { id: 'mbr_1', account: { id: 'acc_1', name: 'acme' }, email: 'ada@example.com', role },
      memberships: [],
    },
  });
  const allowed = (role: (typeof ROLES)[number]) =>
    (Object.keys(ACTIONS) as Action[]).filter((action) => refusalOf(person(role), action) === undefined);
  assert.deepEqual(allowed('viewer'), []);
  assert.deepEqual(allowed('billing'), ['listKeys']);
  assert.deepEqual(allowed('admin'), Object.keys(ACTIONS));
  assert.deepEqual(
    Object.keys(ACTIONS).filter((action) => !allowed('analyst').includes(action as Action)),
    ['listKeys', 'createKey', 'createClient', 'inviteMember'],
  );
  assert.equal(
    refusalOf(person('viewer'), 'createRiskWatch'),
    'Watching a risk is not possible for you: your role, viewer, lacks the scope webhooks:write.',
  );
  assert.equal(
    refusalOf({ scopes: ['webhooks:write'], person: undefined }, 'createRiskWatch'),
    'Watching a risk is not possible with this key: it lacks the scope risk:read.',
  );
});

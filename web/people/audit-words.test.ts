import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionWords, actorWords } from './audit-words.ts';

test('says what was done, and by whom', () => {
  assert.equal(actionWords('createKey'), 'Create key');
  assert.equal(actionWords('signIn'), 'Sign in');
  assert.equal(actionWords('rotateWebhookSecret'), 'Rotate webhook secret');
  assert.equal(actionWords('members add'), 'Members add');
  const names = new Map([['mbr_1', 'ada@example.com']]);
  assert.deepEqual(
    ['mbr_1', 'mbr_2', 'key_1', 'cli_1', 'operator root'].map((actor) => actorWords(actor, names)),
    ['ada@example.com', 'former member', 'API key', 'OAuth client', 'operator root'],
  );
});

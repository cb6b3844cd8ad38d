import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../base/time.ts';
import { FAILING_DAYS } from '../../contract/limits.ts';
import { judgeMail } from './mail-attempt.ts';

const NOW_MS = Date.parse('2026-11-24T12:00:00Z');
const WITH = { schedule: [0, 5_000, 300_000], random: () => 0 };
const FIRST = { attempt: 1, failingSinceMs: null };
const ofRecipient = (answer: string) => ({ status: Number(answer.slice(0, 3)), answer, isOfRecipient: true });
const ofServer = (answer: string) => ({ ...ofRecipient(answer), isOfRecipient: false });

test('what may pass is tried again by the schedule: no connection, 4yz, a login or sender that is refused', () => {
  for (const refusal of [
    undefined,
    ofRecipient('450 4.2.1 mailbox busy'),
    ofRecipient('451 4.7.1 greylisted'),
    ofServer('421 4.3.0 closing'),
    ofServer('535 5.7.8 wrong password'),
    ofServer('530 5.7.0 authentication required'),
    ofServer('550 5.7.1 sender refused'),
  ]) {
    assert.deepEqual(judgeMail(refusal, FIRST, WITH, NOW_MS), { kind: 'retry', dueAtMs: NOW_MS + 5_000 });
    assert.deepEqual(judgeMail(refusal, { ...FIRST, attempt: 3 }, WITH, NOW_MS), { kind: 'dead' });
  }
});

test('a mailbox that does not exist ends the endpoint; other final answers end the mail', () => {
  for (const answer of [
    '550 5.1.1 unknown',
    '550-5.1.1 unknown\r\n550 5.1.1 see',
    '553 5.1.3 bad',
    '550 5.2.1 off',
  ])
    assert.deepEqual(judgeMail(ofRecipient(answer), FIRST, WITH, NOW_MS), {
      kind: 'disable',
      reason: 'refused',
    });
  for (const answer of ['550 5.7.1 policy', '550 no', '552 5.2.2 full', '450 5.1.1 odd'])
    assert.equal(
      judgeMail(ofRecipient(answer), FIRST, WITH, NOW_MS).kind,
      answer.startsWith('4') ? 'retry' : 'dead',
    );
  for (const answer of ['554 5.7.1 spam', '552 5.3.4 too big'])
    assert.deepEqual(judgeMail(ofServer(answer), FIRST, WITH, NOW_MS), { kind: 'dead' });
});

test('days of failures end the endpoint only where the recipient is refused, not while the mail server is down', () => {
  const long = { attempt: 2, failingSinceMs: NOW_MS - FAILING_DAYS * DAY_MS };
  assert.deepEqual(judgeMail(ofRecipient('450 4.2.1 busy'), long, WITH, NOW_MS), {
    kind: 'disable',
    reason: 'failing',
  });
  for (const refusal of [undefined, ofServer('535 5.7.8 wrong password'), ofServer('421 4.3.0 closing')])
    assert.equal(judgeMail(refusal, long, WITH, NOW_MS).kind, 'retry');
});

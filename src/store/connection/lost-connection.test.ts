import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unavailable } from '../../base/errors.ts';
import { lost } from './lost-connection.ts';

const failed = (code: string | undefined, message = 'no', more: object = {}): Error =>
  Object.assign(new Error(message), code !== undefined && { code }, more);

test('a connection that failed is told apart from a statement that failed', () => {
  // PostgreSQL, appendix A; PgBouncer's refusals; errors of the operating system; messages of pg 8.23 and pg-pool 3.14.
  for (const code of ['08006', '08P01', '53300', '53200', '57P01', '57P03', '57014', '25006', '25P03'])
    assert.ok(lost(failed(code)) instanceof Unavailable, code);
  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN'])
    assert.ok(lost(failed(code)) instanceof Unavailable, code);
  for (const message of [
    'Connection terminated due to connection timeout',
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Client has encountered a connection error and is not queryable',
  ])
    assert.ok(lost(failed(undefined, message)) instanceof Unavailable, message);
  assert.ok(lost(failed('ENOENT', 'no socket', { syscall: 'connect' })) instanceof Unavailable);
  for (const code of ['53100', '23505', '40P01', '42P01', '22P02', '57P0X', 'ENOENT', 'EACCES']) {
    const error = failed(code);
    assert.equal(lost(error), error, code);
  }
  const error = failed(undefined, 'the Connection terminated');
  assert.equal(lost(error), error);
});

test('its error keeps the code, and says what failed where the cause says nothing', () => {
  const told = lost(new AggregateError([failed('ECONNREFUSED')], '')) as Error;
  assert.equal(told.message, '');
  const refused = lost(Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' })) as Unavailable;
  assert.equal(refused.message, 'The database cannot be used at the moment: ECONNREFUSED');
  assert.equal(refused.code, 'ECONNREFUSED');
  assert.equal(lost(refused), refused);
});

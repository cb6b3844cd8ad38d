import assert from 'node:assert/strict';
import { ERROR_CODES, type ErrorBody, type ErrorStatus } from '../../src/contract/errors.ts';
import type { CallAnswer } from '../fixtures/http-caller.ts';

/** Asserts that a response is an error in the format of the contract. @returns the error */
export function refusal(answer: CallAnswer, status: ErrorStatus, what: string): ErrorBody['error'] {
  assert.equal(answer.status, status, `${what}: ${answer.text.slice(0, 500)}`);
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8', what);
  const { error } = answer.json() as unknown as ErrorBody;
  assert.equal(error.code, ERROR_CODES[status], what);
  assert.equal(error.request_id, answer.headers['x-request-id'], what);
  assert.ok(error.message.length > 5 && error.message.length < 1000, `${what}: ${error.message}`);
  assert.ok(error.message.isWellFormed(), what);
  return error;
}

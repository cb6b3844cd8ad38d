import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryAfterMs } from './retry-after.ts';

const NOW = Date.parse('2015-10-21T07:27:00Z');

test('seconds and dates are parsed by RFC 9110 section 10.2.3', () => {
  assert.equal(retryAfterMs(503, '120', NOW), 120_000);
  assert.equal(retryAfterMs(429, ' 0 ', NOW), 0);
  assert.equal(retryAfterMs(503, 'Wed, 21 Oct 2015 07:28:00 GMT', NOW), 60_000);
  assert.equal(retryAfterMs(429, 'Wed, 21 Oct 2015 07:26:00 GMT', NOW), 0, 'a time that is over');
});

test('a malformed header, or the header of another status, is ignored', () => {
  for (const header of [undefined, '', '-1', '1.5', '12345678901', 'soon'])
    assert.equal(retryAfterMs(429, header, NOW), undefined, header);
  for (const status of [200, 301, 500, 502]) assert.equal(retryAfterMs(status, '120', NOW), undefined);
});

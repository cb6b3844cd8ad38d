import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareAddresses } from './forwarded-headers.ts';

test('forwarded addresses lose their ports and brackets, and what is no address ends the list', () => {
  for (const [header, addresses] of [
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:4711', '192.0.2.7'],
    ['203.0.113.5 ,  192.0.2.7:4711,10.0.0.1:443', '203.0.113.5, 192.0.2.7, 10.0.0.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:4711, ::ffff:192.0.2.7', '2001:db8::1, ::ffff:192.0.2.7'],
    ['198.51.100.1, nonsense, 192.0.2.7', '192.0.2.7'],
    ['192.0.2.7, unknown', ''],
    ['192.0.2.7:, [192.0.2.7', ''],
    [', 192.0.2.7,', '192.0.2.7'],
    ['', ''],
  ] as const)
    assert.equal(bareAddresses(header), addresses, header);
});

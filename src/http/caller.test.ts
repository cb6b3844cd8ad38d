import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callerOf } from './caller.ts';

test('a caller is an IPv4 address, or the 64-bit network of an IPv6 address in any notation', () => {
  for (const [ip, caller] of [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::5:6:7:8:9', '2001:db8:0:5::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['what a proxy wrote: nonsense', 'what a proxy wrote: nonsense'],
  ] as const)
    assert.equal(callerOf(ip), caller, ip);
});

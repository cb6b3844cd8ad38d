import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SPECIAL_ADDRESSES } from '../../test/fixtures/special-addresses.ts';
import { addressBlocks, isAllowed, reachable, specialUse } from './address-guard.ts';

const NOTHING = addressBlocks([]);

/** Public addresses: the addresses directly before and after each special block, and well-known hosts. */
const PUBLIC = `
1.0.0.0 1.1.1.1 8.8.8.8 9.9.9.9 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.1.255
192.0.3.0 192.31.195.255 192.31.197.0 192.52.192.255 192.52.194.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0
192.175.47.255 192.175.49.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255
2000:: 2000::1 2001:200:: 2001:200::1 2001:4860:4860::8888 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff 2001:db9:: 2003::1
2400:cb00:2048:1::1 2606:4700:4700::1111 2620:4f:7fff:: 2620:4f:8001:: 2620:fe::fe 2a00:1450:4001:81b::200e
3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff 3fff:1000:: 3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
`;

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

test('addresses of the IANA special-purpose registries are special', () => {
  assert.ok(new Set(SPECIAL_ADDRESSES).size >= 200);
  for (const address of SPECIAL_ADDRESSES) {
    assert.notEqual(specialUse(address), undefined, address);
    assert.deepEqual(reachable([address], NOTHING), [], address);
  }
});

test('the addresses next to a special block are public', () => {
  for (const address of words(PUBLIC)) {
    assert.equal(specialUse(address), undefined, address);
    assert.deepEqual(reachable([address], NOTHING), [address]);
  }
});

test('the special use names the block', () => {
  assert.match(specialUse('169.254.169.254')!, /^169\.254\.0\.0\/16 \(link-local/);
  assert.match(specialUse('2001:0:1::1')!, /Teredo/);
  assert.match(specialUse('2001:1::1')!, /protocol assignments/);
  assert.match(specialUse('::1')!, /loopback/);
  assert.match(specialUse('fe80::1%eth0')!, /link-local/);
  assert.match(specialUse('4000::1')!, /not allocated/);
  for (const text of ['', 'localhost', '1.2.3', '1.2.3.4.5', '0x7f.1', '::g', '[::1]'])
    assert.throws(() => specialUse(text), RangeError, text);
});

test('a name with a special address is refused, unless the operator allows one of its addresses', () => {
  assert.deepEqual(reachable(['8.8.8.8', '2606:4700::1111'], NOTHING), ['8.8.8.8', '2606:4700::1111']);
  assert.deepEqual(reachable(['8.8.8.8', '10.0.0.1'], NOTHING), []);
  assert.deepEqual(reachable(['8.8.8.8', '::1'], addressBlocks(['10.0.0.0/8'])), []);
  assert.deepEqual(reachable(['::1', '127.0.0.1'], addressBlocks(['127.0.0.0/8'])), ['127.0.0.1']);
  assert.deepEqual(reachable(['127.0.0.1', '::1'], addressBlocks(['::1'])), ['::1']);
  assert.deepEqual(reachable(['10.1.1.1', '8.8.8.8', '192.168.0.1'], addressBlocks(['10.0.0.0/8'])), [
    '10.1.1.1',
    '8.8.8.8',
  ]);
  assert.deepEqual(reachable([], NOTHING), []);
});

test('the allow list accepts addresses and CIDRs and refuses everything else by name', () => {
  const allow = addressBlocks(['10.1.0.0/16', '192.168.7.7', 'fd00::/8', '::1']);
  for (const inside of ['10.1.0.0', '10.1.255.255', '192.168.7.7', 'fd12::1', '::1'])
    assert.ok(isAllowed(inside, allow), inside);
  for (const outside of ['10.0.255.255', '10.2.0.0', '192.168.7.8', 'fc00::1', '::2', '8.8.8.8'])
    assert.ok(!isAllowed(outside, allow), outside);
  assert.ok(isAllowed('203.0.113.200', addressBlocks(['0.0.0.0/0'])));
  for (const bad of [
    '',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0/8',
    'host/8',
    '1.2.3.4/-1',
    'fe80::1%2',
  ])
    assert.throws(
      () => addressBlocks([bad]),
      (error: Error) => error instanceof RangeError && error.message.includes(`"${bad}"`),
      bad,
    );
});

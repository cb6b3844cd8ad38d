import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressBlocks, isAllowed, reachable, specialUse } from './address-guard.ts';

const NOTHING = addressBlocks([]);

/** First and last address of each block of the IANA special-purpose registries, and some inside. */
const SPECIAL = `
0.0.0.0 0.0.0.1 0.1.2.3 0.255.255.255
10.0.0.0 10.0.0.1 10.0.0.254 10.1.2.3 10.43.0.1 10.96.0.1 10.128.0.1 10.255.255.254 10.255.255.255
100.64.0.0 100.64.0.1 100.100.100.200 100.127.255.255
127.0.0.0 127.0.0.1 127.0.0.53 127.0.1.1 127.1.2.3 127.255.255.255
168.63.129.16
169.254.0.0 169.254.0.1 169.254.169.254 169.254.170.2 169.254.255.255
172.16.0.0 172.16.0.1 172.17.0.1 172.18.0.1 172.20.10.1 172.28.0.1 172.31.255.255
192.0.0.0 192.0.0.1 192.0.0.9 192.0.0.10 192.0.0.170 192.0.0.192 192.0.0.255
192.0.2.0 192.0.2.1 192.0.2.255
192.31.196.0 192.31.196.255
192.52.193.0 192.52.193.255
192.88.99.0 192.88.99.1 192.88.99.255
192.168.0.0 192.168.0.1 192.168.1.1 192.168.49.2 192.168.122.1 192.168.178.1 192.168.255.255
192.175.48.0 192.175.48.255
198.18.0.0 198.18.0.1 198.18.255.255 198.19.0.0 198.19.255.255
198.51.100.0 198.51.100.7 198.51.100.255
203.0.113.0 203.0.113.9 203.0.113.255
224.0.0.0 224.0.0.1 224.0.0.251 232.1.2.3 239.255.255.250 239.255.255.255
240.0.0.0 240.0.0.1 250.1.2.3 255.255.255.254 255.255.255.255
:: ::1 0:0:0:0:0:0:0:1 ::2 ::7f00:1 ::127.0.0.1 ::8.8.8.8 ::ffff:ffff
::ffff:0:0 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:8.8.8.8 ::ffff:7f00:1 ::FFFF:C0A8:0101
0:0:0:0:0:ffff:0a00:0001
::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8 ::ffff:0:ffff:ffff
64:ff9b:: 64:ff9b::7f00:1 64:ff9b::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 64:ff9b::8.8.8.8 64:ff9b::ffff:ffff
64:ff9b:1:: 64:ff9b:1::7f00:1 64:ff9b:1:fffe::a00:1 64:ff9b:1:ffff:ffff:ffff:ffff:ffff
64:ff9b:2:: 64:ff9b:0:1:: 63::1 64::1 65::1 ff::1 1::1
100:: 100::1 100::ffff:ffff:ffff:ffff
100:0:0:1:: 100:0:0:1:ffff:ffff:ffff:ffff
200::1 400::1 800::1 1000::1 1fff:ffff::1
2001:: 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:0:ffff:ffff:ffff:ffff:ffff:ffff
2001:1::1 2001:1::2 2001:2:: 2001:2:0:ffff:ffff:ffff:ffff:ffff 2001:3::1 2001:4:112::1
2001:10::1 2001:1f:ffff::1 2001:20::1 2001:2f::1 2001:30::1 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff
2001:db8:: 2001:db8::1 2001:db8:a::8 2001:0db8:85a3:0000:0000:8a2e:0370:7334 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff
2002:: 2002:7f00:1:: 2002:7f00:0001::1 2002:a00:1::1 2002:a9fe:a9fe::1 2002:c0a8:101::1 2002:808:808::1 2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff
2620:4f:8000:: 2620:4f:8000:ffff:ffff:ffff:ffff:ffff
3fff:: 3fff::1 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff
4000::1 5000::1 5f00:: 5f00::1 5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff 6000::1 8000::1 a000::1 c000::1 e000::1 f000::1 f800::1
fc00:: fc00::1 fd00::1 fd00:ec2::254 fd12:3456:789a::1 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
fe00::1 fe00::ffff fe7f::1 fe80:: fe80::1 fe80::1%eth0 fe80::5efe:7f00:1 febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff
fec0:: fec0::1 feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
ff00:: ff01::1 ff02::1 ff02::fb ff05::1:3 ff0e::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
`;

/** The neighbours just outside each block, and well-known public hosts. */
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

test('IANA special-purpose registries: every special address is known as such', () => {
  const table = words(SPECIAL);
  assert.ok(new Set(table).size >= 200, String(new Set(table).size));
  for (const address of table) {
    assert.notEqual(specialUse(address), undefined, address);
    assert.deepEqual(reachable([address], NOTHING), [], address);
  }
});

test('every neighbour of a special block is public', () => {
  for (const address of words(PUBLIC)) {
    assert.equal(specialUse(address), undefined, address);
    assert.deepEqual(reachable([address], NOTHING), [address]);
  }
});

test('the use names the block', () => {
  assert.match(specialUse('169.254.169.254')!, /^169\.254\.0\.0\/16 \(link-local/);
  assert.match(specialUse('2001:0:1::1')!, /Teredo/);
  assert.match(specialUse('2001:1::1')!, /protocol assignments/);
  assert.match(specialUse('::1')!, /loopback/);
  assert.match(specialUse('fe80::1%eth0')!, /link-local/);
  assert.match(specialUse('4000::1')!, /not allocated/);
  for (const text of ['', 'localhost', '1.2.3', '1.2.3.4.5', '0x7f.1', '::g', '[::1]'])
    assert.throws(() => specialUse(text), RangeError, text);
});

test('one special address condemns a name, except beside one that the operator allows', () => {
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

test('the allow list takes addresses and CIDRs and refuses everything else by name', () => {
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

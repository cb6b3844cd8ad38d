import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressBlocks } from './address-guard.ts';
import { checkCallbackUrl } from './callback-url.ts';

const NOTHING = addressBlocks([]);

/**
 * Notations of special addresses that a URL parser accepts as hosts.
 * @see https://url.spec.whatwg.org/#concept-ipv4-parser
 */
const SPECIAL_HOSTS = `
127.0.0.1 127.1 127.0.1 127.0.0.1. 2130706433 017700000001 0x7f000001 0x7F.1 0x7f.0.0.1 0177.0.0.1 0177.0.0.01 0000177.0.0.1
127.0.0.0x1 127.0x1 0 0x0 0.0.0.0 00000 10.1 012.1.2.3 0xa.1.2.3 167772161 169.254.169.254 0xa9fea9fe 0251.0376.0251.0376
2852039166 0xA9.0xFE.0xA9.0xFE 169.16689662 192.168.1 0xc0a80101 3232235777 0300.0250.1.1 172.16.1 100.64.1 198.18.1
224.1 255.255.255.255 4294967295 0xffffffff 037777777777 １２７.０.０.１ 127。0。0。1 %31%32%37.0.0.1 ①②⑦.⓪.⓪.①
[::1] [::] [0:0:0:0:0:0:0:1] [::127.0.0.1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:0A00:0001] [::ffff:0:10.0.0.1]
[64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::a00:1] [2001:0:1::1] [2001:db8::1] [2002:7f00:1::1] [3fff::1]
[fc00::1] [fd00:ec2::254] [fe80::1] [fec0::1] [ff02::1] [4000::1]
`;

test('special addresses are refused in every notation', () => {
  for (const host of SPECIAL_HOSTS.trim().split(/\s+/)) {
    const found = checkCallbackUrl(`https://${host}/hook`, NOTHING);
    assert.ok(!found.ok, host);
    assert.match(found.reason, /^expected a public address, got [0-9a-f.:]+, which lies in /, host);
  }
});

test('public addresses and all names are accepted; names are not resolved', () => {
  for (const url of [
    'https://example.com/hook',
    'https://example.com:443/hook?a=b',
    'https://example.com:8443',
    'https://example.com:1024/',
    'https://example.com:65535/',
    'https://8.8.8.8/',
    'https://134744072/', // 8.8.8.8 as one number
    'https://[2606:4700:4700::1111]/',
    'https://localhost.example/',
    'https://notlocalhost/',
    'https://127.0.0.1.nip.io/',
    'https://bücher.example/',
  ]) {
    const found = checkCallbackUrl(url, NOTHING);
    assert.ok(found.ok, url);
    assert.equal(found.url.href, new URL(url).href);
  }
});

test('a URL that is not plain HTTPS is refused with the reason', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['', /absolute URL/],
    ['example.com/hook', /absolute URL/],
    ['/hook', /absolute URL/],
    ['https://', /absolute URL/],
    ['https://[fe80::1%25eth0]/', /absolute URL/],
    ['https://256.256.256.256/', /absolute URL/],
    ['https://example.com:99999/', /absolute URL/],
    [' https://example.com/', /without spaces/],
    ['https://example.com/a\nb', /without spaces and control/],
    ['http://example.com/', /expected an https URL, got http/],
    ['ftp://example.com/', /got ftp/],
    ['file:///etc/passwd', /got file/],
    ['javascript:alert(1)', /got javascript/],
    ['https://user@example.com/', /credentials/],
    ['https://user:pass@example.com/', /credentials/],
    ['https://:pass@example.com/', /credentials/],
    ['https://example.com:0/', /expected port 443 or one from 1024 on, got 0/],
    ['https://example.com:22/', /got 22/],
    ['https://example.com:80/', /got 80/],
    ['https://example.com:1023/', /got 1023/],
    ['https://localhost/', /expected a public host, got localhost, which is this machine itself/],
    ['https://LOCALHOST.:8443/hook', /got localhost\./],
    ['https://hooks.localhost:8443/', /got hooks.localhost/],
    [`https://example.com/${'a'.repeat(2048)}`, /at most 2048 characters, got 2068/],
  ];
  for (const [url, reason] of cases) {
    const found = checkCallbackUrl(url, NOTHING);
    assert.ok(!found.ok, url);
    assert.match(found.reason, reason, url);
  }
});

test('the operator may allow a private network', () => {
  const allow = addressBlocks(['127.0.0.0/8', 'fd00::/8']);
  assert.ok(checkCallbackUrl('https://127.0.0.1:9443/', allow).ok);
  assert.ok(checkCallbackUrl('https://[fd00::7]/', allow).ok);
  assert.ok(checkCallbackUrl('https://localhost:9443/', allow).ok);
  assert.ok(!checkCallbackUrl('https://10.0.0.1/', allow).ok);
  assert.ok(!checkCallbackUrl('https://127.0.0.1:80/', allow).ok);
});

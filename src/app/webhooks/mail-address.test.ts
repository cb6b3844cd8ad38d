import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMailAddress } from './mail-address.ts';

test('addresses that people use are taken, with the domain in ASCII and lower case', () => {
  for (const [given, parsed] of [
    ['ada@example.com', 'ada@example.com'],
    ['Ada.King+alerts@Example.COM', 'Ada.King+alerts@example.com'],
    ["o'neil_1@mail.example.co.uk", "o'neil_1@mail.example.co.uk"],
    ['ana@žalec.si', 'ana@xn--alec-kbb.si'],
  ])
    assert.equal(parseMailAddress(given!), parsed);
});

test('what could end a header, name several recipients or reach a machine is refused', () => {
  for (const given of [
    '',
    'ada',
    '@example.com',
    'ada@',
    'ada@localhost',
    'ada@127.0.0.1',
    'ada@[127.0.0.1]',
    'ada@example.com\r\nBcc: eve@example.com',
    'ada@example.com\nRCPT TO:<eve@example.com>',
    'ada@example.com,eve@example.com',
    'ada@example.com eve@example.com',
    'Ada <ada@example.com>',
    '"ada king"@example.com',
    'ada@eve@example.com',
    'ada>@example.com',
    'ada\0@example.com',
    'ada@exa mple.com',
    'ada@-example.com',
    'ada@example..com',
    'ādā@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ada@${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.com`,
  ])
    assert.equal(parseMailAddress(given), undefined, JSON.stringify(given));
});

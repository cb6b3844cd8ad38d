import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson, digestOf } from './canonical-json.ts';

test('members are sorted by name, and numbers have their shortest form (RFC 8785 section 3.2.3)', () => {
  assert.equal(
    canonicalJson({
      literals: [null, true, false],
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 1e-27],
    }),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}',
  );
  assert.equal(canonicalJson({ b: 1, a: { d: undefined, c: 2 } }), '{"a":{"c":2},"b":1}');
});

test('the digest does not depend on the order of members; NaN is refused', () => {
  assert.equal(digestOf({ a: 1, b: [2] }), digestOf({ b: [2], a: 1 }));
  // sha256 of the two bytes {}
  assert.equal(digestOf({}), '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
  assert.throws(() => digestOf({ a: Number.NaN }), RangeError);
});

test('members are sorted by UTF-16 code units, and text is escaped as in RFC 8785, sections 3.2.2 and 3.2.3', () => {
  const members = {
    '\u20ac': 'Euro Sign',
    '\r': 'Carriage Return',
    '\ufb33': 'Hebrew Letter Dalet With Dagesh',
    1: 'One',
    '\ud83d\ude00': 'Emoji: Grinning Face',
    '\u0080': 'Control',
    '\u00f6': 'Latin Small Letter O With Diaeresis',
  };
  assert.deepEqual(
    [...canonicalJson(members).matchAll(/:"([^"]*)"/g)].map(([, value]) => value),
    [
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ],
  );
  // The text is that of the RFC, by its code points.
  const text = String.fromCharCode(0x20ac, 0x24, 0x0f, 0x0a, 0x41, 0x27, 0x42, 0x22, 0x5c, 0x5c, 0x22, 0x2f);
  const bytes = Buffer.from(canonicalJson({ string: text }));
  assert.equal(
    bytes.toString('hex'),
    '7b22737472696e67223a22e282ac245c75303030665c6e4127425c225c5c5c5c5c222f227d',
  );
  assert.throws(() => canonicalJson({ name: '\ud800' }), RangeError);
});

// Bits of an IEEE 754 double and its form, from RFC 8785, appendix B.
for (const [bits, text] of [
  [0x0000000000000000n, '0'],
  [0x8000000000000000n, '0'],
  [0x0000000000000001n, '5e-324'],
  [0x7fefffffffffffffn, '1.7976931348623157e+308'],
  [0x4340000000000000n, '9007199254740992'],
  [0x4430000000000000n, '295147905179352830000'],
  [0x44b52d02c7e14af5n, '9.999999999999997e+22'],
  [0x44b52d02c7e14af6n, '1e+23'],
  [0x444b1ae4d6e2ef4en, '999999999999999700000'],
  [0x444b1ae4d6e2ef50n, '1e+21'],
  [0x3eb0c6f7a0b5ed8cn, '9.999999999999997e-7'],
  [0x3eb0c6f7a0b5ed8dn, '0.000001'],
  [0x41b3de4355555555n, '333333333.3333333'],
  [0xbecbf647612f3696n, '-0.0000033333333333333333'],
] as const)
  test(`the number ${text} is written as in RFC 8785`, () => {
    assert.equal(canonicalJson(new Float64Array(BigUint64Array.of(bits).buffer)[0]), text);
  });

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

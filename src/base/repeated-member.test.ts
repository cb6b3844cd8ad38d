import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeatedMember } from './repeated-member.ts';

test('a member that comes twice is found by its path, at any depth and however it is escaped', () => {
  for (const [text, path] of [
    ['{"a":1,"a":1}', 'a'],
    ['{"a":{"b":1,"b":2}}', 'a.b'],
    ['{"locations":[{"lat":1},{"lat":1,"lng":2, "lat" :3}]}', 'locations[1].lat'],
    ['[[{}],[{"x":[1,2,{"y":0,"z":",","y":1}]}]]', '[1][0].x[2].y'],
    ['{"lat":1,"l\\u0061t":2}', 'lat'],
    ['{"a\\"b":1,"a\\u0022b":2}', 'a"b'],
    ['{"":1,"":2}', '""'],
    ['{"a":{"a":{}},"b":[],"a":0}', 'a'],
  ] as const)
    assert.equal(repeatedMember(text), path, text);
});

test('members of different objects, and texts that only look like members, are not taken for repeated ones', () => {
  for (const text of [
    '{"a":{"a":1},"b":{"a":1}}',
    '[{"a":1},{"a":1}]',
    '{"a":"a","b":["a","a"],"c":"{\\"a\\":1,\\"a\\":2}"}',
    '{"a":"\\\\","b":"\\\\\\"","c":1}',
    '"a"',
    '[]',
    'null',
    ' { } ',
  ])
    assert.equal(repeatedMember(text), undefined, text);
});

test('texts of random values have no repeated member, and have one after a member is put in twice', () => {
  let state = 1;
  const random = (limit: number): number => (state = (state * 48_271) % 2_147_483_647) % limit;
  const names = ['a', 'b"', '\\', ',', 'é{', '[', 'lat'];
  const value = (depth: number): unknown => {
    const kind = random(depth > 4 ? 3 : 5);
    if (kind === 0) return names[random(names.length)];
    if (kind === 1) return random(1000) / 8 - 60;
    if (kind === 2) return null;
    const items = Array.from({ length: random(5) }, () => value(depth + 1));
    return kind === 3 ? items : Object.fromEntries(items.map((item, i) => [names[i]!, item]));
  };
  for (let i = 0; i < 500; i++) {
    const text = JSON.stringify({ first: value(0), last: value(0) });
    assert.equal(repeatedMember(text), undefined, text);
    assert.equal(repeatedMember(`${text.slice(0, -1)},"last":${JSON.stringify(value(0))}}`), 'last');
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkedName } from './manage-aois.ts';

test('a name has at least one character that is seen, in any script', () => {
  for (const name of ['Wald', ' 森林 ', 'غابة', 'क्‍ष', '😀', 'ABC\u00adDEF'])
    assert.equal(checkedName(name), name.trim());
  for (const [name, got] of [
    ['  ', 'only spaces'],
    ['\u200b\u200b', 'only characters that nobody sees'],
    ['\u3164 \u2060', 'only characters that nobody sees'],
  ] as const)
    assert.throws(() => checkedName(name), { message: `name: expected some text, got ${got}` });
});

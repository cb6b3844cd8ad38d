import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { inAscii } from './ascii.ts';

test('code in ASCII has the values of the code that it was made of', () => {
  for (const code of [
    `'é — 😀'`,
    '`a ${1 + 1} ’ \\\\’`',
    `/[·😀]+/u.exec('a·😀b')[0]`,
    `(({ π, naïve: n }) => [π, n])({ π: 3, naïve: 4 }).join()`,
  ]) {
    const plain = inAscii(code);
    assert.doesNotMatch(plain, /[\u0080-\uffff]/);
    assert.equal(runInNewContext(plain), runInNewContext(code));
  }
});

test('an escaped character stays as it is', () => {
  const code = `'\\’'`;
  assert.equal(inAscii(code), code);
});

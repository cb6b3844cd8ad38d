import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerTag, matchesTag } from './answer-tag.ts';

test('a text always has the same weak tag (RFC 9110), and similar texts have different ones', () => {
  const seen = new Map<string, string>();
  const texts = Array.from({ length: 20_000 }, (_, i) => `{"risk_score":${i / 1e4},"confidence":0.5}`);
  for (const text of [
    ...texts,
    '',
    'a',
    'b',
    'ab',
    'ba',
    'x'.repeat(256),
    'x'.repeat(257),
    'x'.repeat(258),
  ]) {
    const tag = answerTag(text);
    assert.match(tag, /^W\/"[\w-]+"$/);
    assert.equal(answerTag(text), tag);
    assert.equal(seen.get(tag), undefined, `${text} and ${seen.get(tag)}`);
    seen.set(tag, text);
  }
});

test("each bit of a short text's tag flips half of the time when one character changes", () => {
  const bits = (text: string) =>
    answerTag(text)
      .slice(3, -1)
      .split('-')
      .map((half) => Number(half).toString(2).padStart(32, '0'))
      .join('');
  const changes = new Uint32Array(64);
  const pairs = 2000;
  for (let i = 0; i < pairs; i++) {
    const text = `{"risk_score":0.${i * 7919},"confidence":0.5}`;
    const at = i % text.length;
    const other = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
    const [a, b] = [bits(text), bits(other)];
    for (let bit = 0; bit < 64; bit++) if (a[bit] !== b[bit]) changes[bit]!++;
  }
  // In 2,000 fair coin tosses the number of heads has a standard deviation of 22.4; six standard deviations are 134.
  for (const [bit, count] of changes.entries())
    assert.ok(Math.abs(count - pairs / 2) < 134, `bit ${bit}: ${count} of ${pairs}`);
});

test('If-None-Match matches when one of its tags is that of the answer, weak or not', () => {
  const tag = answerTag('x');
  for (const header of [tag, tag.slice(2), ` ${tag} `, `"a", ${tag}`, '*', `W/"a",${tag}`])
    assert.ok(matchesTag(header, tag), header);
  for (const header of ['', '"a"', `${tag}x`, tag.replace('-', '')])
    assert.ok(!matchesTag(header, tag), header);
});

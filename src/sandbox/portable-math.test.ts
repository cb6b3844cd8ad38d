import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { arctangent, bearing, cosine, exponential, hypotenuse, logarithm, sine } from './portable-math.ts';

/** Asserts that two numbers differ by at most 1e-14 times the larger of 1 and the absolute expected value. */
function agree(got: number, expected: number, what: string): void {
  const within = 1e-14 * Math.max(1, Math.abs(expected));
  assert.ok(Math.abs(got - expected) <= within, `${what}: ${got}, expected ${expected}`);
}

describe('functions whose bits are the same everywhere', () => {
  test('the portable functions agree with those of the engine to 1e-14', () => {
    for (let x = -40; x <= 40; x += 0.137) {
      const relative = exponential(x) / Math.exp(x);
      agree(relative, 1, `exponential(${x})`);
      agree(sine(x), Math.sin(x), `sine(${x})`);
      agree(cosine(x), Math.cos(x), `cosine(${x})`);
      agree(arctangent(x), Math.atan(x), `arctangent(${x})`);
      agree(logarithm(exponential(x)), x, `logarithm of exponential(${x})`);
      for (const y of [-3, -0.2, 0, 0.7, 12]) {
        agree(bearing(x, y), Math.atan2(x, y), `bearing(${x}, ${y})`);
        agree(hypotenuse(x, y), Math.hypot(x, y), `hypotenuse(${x}, ${y})`);
      }
    }
    assert.deepEqual(
      [exponential(0), exponential(-800), logarithm(1), sine(0), arctangent(0), bearing(0, 0)],
      [1, 0, 0, 0, 0, 0],
    );
    agree(bearing(0, -2), Math.PI, 'bearing to the west');
  });

  test('the sandbox uses no other mathematical functions', () => {
    const fixed = 'abs|ceil|floor|fround|imul|LN2|max|min|PI|round|sign|sqrt|SQRT1_2|SQRT2|trunc';
    const loose = new RegExp(String.raw`\bMath\.(?!(?:${fixed})\b)\w+|\*\*`, 'g');
    const comments = /\/\*.*?\*\/|\/\/.*?$/gms;
    const sources = readdirSync(import.meta.dirname).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
    );
    assert.ok(sources.length > 10);
    for (const name of sources) {
      const found = readFileSync(`${import.meta.dirname}/${name}`, 'utf8')
        .replace(comments, '')
        .match(loose);
      assert.equal(found, null, `${name}: ${found?.join(', ')}`);
    }
  });
});

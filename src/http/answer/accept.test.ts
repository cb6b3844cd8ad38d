import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preferredType } from './accept.ts';

const OFFER = ['application/json', 'application/geo+json', 'text/csv'] as const;
const [JSON_TYPE, GEOJSON, CSV] = OFFER;

const check = (cases: readonly (readonly [string | undefined, string])[]): void => {
  for (const [accept, type] of cases) assert.equal(preferredType(accept, OFFER), type, accept);
};

test('the type of the highest quality is preferred, wherever it stands: RFC 9110 section 12.5.1', () => {
  check([
    ['application/json;q=0.5, text/csv', CSV],
    ['text/html, text/csv', CSV],
    ['text/csv;q=0.5, application/geo+json', GEOJSON],
    ['text/csv;q=0.5,application/json;q=0.8', JSON_TYPE],
    ['application/json;q=0, text/csv;q=0.001', CSV],
    ['*/*;q=0.1, Text/CSV ;Q=0.2', CSV],
    ['text/csv;header=absent;q=0.2, application/geo+json;q=0.3', GEOJSON],
    ['application/json;profile="a,b;q=0";q=0.9, text/csv;q=0.95', CSV],
  ]);
});

test('the most specific range tells the quality of a type', () => {
  check([
    ['text/*;q=0.9, application/json;q=0.1', CSV],
    ['application/*, application/json;q=0', GEOJSON],
    ['*/*, application/json;q=0.3, application/geo+json;q=0.2', CSV],
    ['application/json;q=0, */*;q=0.5', GEOJSON],
  ]);
});

test('of types that are wanted equally, the first in the header is preferred, and in one range the first on offer', () => {
  check([
    ['application/json, text/csv', JSON_TYPE],
    ['text/csv, application/json', CSV],
    ['text/csv, */*', CSV],
    ['*/*, text/csv', JSON_TYPE],
    ['application/*', JSON_TYPE],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', JSON_TYPE],
  ]);
});

test('a header that accepts nothing on offer, or cannot be read, is answered with the default', () => {
  check(
    [
      undefined,
      '',
      '*/*',
      'image/png',
      'text/csvx',
      'text/csv;q=0',
      'text/csv;q=x',
      'text/csv;q=2',
      ';;,',
      '"',
    ].map((accept) => [accept, JSON_TYPE] as const),
  );
});

test('a long header of open quotes is read in linear time', () => {
  // Once is enough: another process may have had the processor in the other attempts.
  const times = [1, 2, 3, 4].map(() => {
    const start = performance.now();
    preferredType(`${'";a="'.repeat(3_000)}text/csv`, OFFER);
    return performance.now() - start;
  });
  assert.ok(Math.min(...times) < 1_000, times.join());
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { findTowns, isNamed, readTowns } from './places.ts';

const table = readTowns(readFileSync(new URL('places.tsv', import.meta.url), 'utf8'));
const names = (text: string, limit = 5) => findTowns(table, text, limit).map(({ name }) => name);

test('a town is found by the beginning of its name, the largest first', () => {
  const [london, ...others] = findTowns(table, 'lond', 5);
  assert.deepEqual([london!.name, london!.country], ['London', 'GB']);
  assert.ok(Math.abs(london!.lat - 51.51) < 0.05 && Math.abs(london!.lng + 0.13) < 0.05);
  assert.ok(others.some(({ country }) => country === 'CA'));
});

test('accents and capitals do not matter', () => {
  assert.deepEqual(names('sao paulo', 1), ['São Paulo']);
  assert.deepEqual(names('MALMO', 1), ['Malmö']);
  assert.ok(names('lodz', 3).includes('Łódź'));
});

test('a later word of a name counts, after the names that begin with the text', () => {
  assert.equal(names('york')[0], 'York');
  assert.ok(names('york', 8).includes('New York City'));
  assert.equal(isNamed('Harbour town', 'tow'), true);
  assert.equal(isNamed('Harbour town', 'own'), false);
});

test('an empty text and a name of nowhere find nothing', () => {
  assert.deepEqual(names('  '), []);
  assert.deepEqual(names('qqqqzz'), []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Column } from '../../contract/fields.ts';
import { readCsvRows } from './rows.ts';
import { csvText, wellKnownText } from './csv-text.ts';

const text = (name: string): Column => ({ name, kind: 'text' });
const fields = (text: string): (readonly string[])[] => Array.from(readCsvRows(text), (row) => row.fields);

test('texts come back as they were; numbers, objects and missing values have their forms', () => {
  const columns = ['name', 'value', 'note'].map(text);
  const texts = ['plain', 'a, b', 'say "no"', 'two\nlines', 'cr\r\nlf', 'é 東京'];
  const written = csvText(
    columns,
    texts.map((name, i) => ({ name, value: [-1.5, 0, 1e-7, null, true, undefined][i], note: { a: [i] } })),
  );
  assert.ok(written.startsWith('name,value,note\r\nplain,-1.5,"{""a"":[0]}"\r\n'));
  assert.deepEqual(
    fields(written).map(([name, value]) => [name, value]),
    [
      ['name', 'value'],
      ['plain', '-1.5'],
      ['a, b', '0'],
      ['say "no"', '1e-7'],
      ['two\nlines', ''],
      ['cr\r\nlf', 'true'],
      ['é 東京', ''],
    ],
  );
  assert.equal(csvText(columns, []), 'name,value,note\r\n');
});

test('a text that a spreadsheet would run as a formula gets an apostrophe, a number does not', () => {
  for (const name of ['=1+1', '+1', '-1', '@sum(a1)', '\t=1', '=cmd|"/c calc"!a1'])
    assert.equal(fields(csvText([text('name')], [{ name }]))[1]![0]!.trim(), `'${name}`);
  assert.equal(csvText([text('value')], [{ value: -1 }]), 'value\r\n-1\r\n');
});

test('geometries are well-known text, longitude first, without heights', () => {
  assert.equal(wellKnownText({ type: 'Point', coordinates: [14.5, 46] }), 'POINT (14.5 46)');
  const ring = [
    [0, 0],
    [1, 0, 7],
    [1, 1],
    [0, 0],
  ];
  assert.equal(wellKnownText({ type: 'Polygon', coordinates: [ring] }), 'POLYGON ((0 0,1 0,1 1,0 0))');
  assert.equal(
    wellKnownText({ type: 'MultiPolygon', coordinates: [[ring], [ring, ring]] }),
    'MULTIPOLYGON (((0 0,1 0,1 1,0 0)),((0 0,1 0,1 1,0 0),(0 0,1 0,1 1,0 0)))',
  );
});

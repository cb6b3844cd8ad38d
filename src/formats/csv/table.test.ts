import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidInput } from '../../base/errors.ts';
import { CsvTable, readText } from './table.ts';

const NAMES = { place: ['site', 'place'], value: ['value'] } as const;

test('a column is found by the first known name in the header, in any order and case', () => {
  const table = new CsvTable(' Place ,SITE,other\nhere, there ,\n', 't.csv', NAMES);
  const [row] = table.rows;
  assert.equal(table.demand('place'), 'site');
  assert.deepEqual(
    ['site', 'place', 'other', 'nowhere', undefined].map((column) => table.text(row!, column)),
    ['there', 'here', '', '', ''],
  );
  assert.throws(() => table.demand('value'), {
    name: InvalidInput.name,
    message: 't.csv, line 1: no column of value; expected one of value, got place, site, other',
  });
});

test('a text that is not CSV and a missing file are refused; the message has the file name', async () => {
  assert.throws(() => new CsvTable('site\n"open', 't.csv', NAMES), {
    name: InvalidInput.name,
    message: 't.csv, line 2: a quote that is not closed',
  });
  await assert.rejects(readText('no/such.csv'), {
    name: InvalidInput.name,
    message: /^no\/such\.csv cannot be read/,
  });
});

test('a line with more fields than the header is refused, unless those beyond are empty', () => {
  assert.equal(new CsvTable('site;value\nhere;1;;\n', 't.csv', NAMES).rows.length, 1);
  assert.throws(() => new CsvTable('site;value\nhere;1\nhere;1;5\n', 't.csv', NAMES), {
    name: InvalidInput.name,
    message: 't.csv, line 3: 2 columns expected as named, got 3; a field with a semicolon in it needs quotes',
  });
  const kept = new CsvTable('site,value\nhere,1,5\n', 't.csv', NAMES, 'keep');
  assert.match(kept.surplus(kept.rows[0]!)!, /^2 columns expected as named, got 3/);
});

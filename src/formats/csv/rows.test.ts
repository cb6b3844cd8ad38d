import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCsvRows } from './rows.ts';

const fieldsOf = (text: string): (readonly string[])[] => [...readCsvRows(text)].map((row) => row.fields);

test('RFC 4180, section 2: line ends, header, spaces, quoted fields with line breaks and doubled quotes', () => {
  const want = [
    ['aaa', 'bbb', 'ccc'],
    ['zzz', 'yyy', 'xxx'],
  ];
  assert.deepEqual(fieldsOf('aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n'), want);
  assert.deepEqual(fieldsOf('aaa,bbb,ccc\r\nzzz,yyy,xxx'), want);
  assert.deepEqual(fieldsOf('\uFEFFaaa,bbb,ccc\nzzz,yyy,xxx\n'), want);
  assert.deepEqual(fieldsOf('"aaa","bbb","ccc"\rzzz,yyy,xxx'), want);
  assert.deepEqual(fieldsOf('"aaa","b \r\nbb","ccc"\r\nzzz,yyy,xxx'), [['aaa', 'b \r\nbb', 'ccc'], want[1]]);
  assert.deepEqual(fieldsOf('"aaa","b""bb","c,c"'), [['aaa', 'b"bb', 'c,c']]);
  assert.deepEqual(fieldsOf('a,,\n"",b,""'), [
    ['a', '', ''],
    ['', 'b', ''],
  ]);
  assert.deepEqual(fieldsOf(' a , b '), [[' a ', ' b ']]);
});

test('each record has its line number, also after empty lines and line breaks in fields', () => {
  const rows = [...readCsvRows('a\n\n"b\nb"\n  \r\nc\n')];
  assert.deepEqual(
    rows.map((row) => [row.line, row.fields[0]]),
    [
      [1, 'a'],
      [3, 'b\nb'],
      [6, 'c'],
    ],
  );
  assert.deepEqual(fieldsOf(''), []);
});

test('lines of separators alone are skipped, as spreadsheets write them below a table', () => {
  const rows = [...readCsvRows('a;b\n1;2\n;\n ; ;\n"";""\n3;\n', ';')];
  assert.deepEqual(
    rows.map((row) => [row.line, row.fields[0]]),
    [
      [1, 'a'],
      [2, '1'],
      [6, '3'],
    ],
  );
});

test('an unclosed or misplaced quote is refused; the message names its line', () => {
  assert.throws(() => fieldsOf('a\n"b,c\nd'), /^RangeError: line 2: a quote that is not closed/);
  assert.throws(() => fieldsOf('a\nb"c'), /^RangeError: line 2: a quote within a field/);
  assert.throws(() => fieldsOf('"a"b'), /^RangeError: line 1: text after a closing quote/);
});

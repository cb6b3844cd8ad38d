import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { decimalNumber, hasDecimalCommas } from './decimal.ts';
import { encodingOf, isBinary } from './encoding.ts';
import { separatorIn } from './separator.ts';
import { CsvTable, readText } from './table.ts';

test('the separator of a table is the most frequent one of its header, outside quotes', () => {
  assert.equal(separatorIn('Station;Datum;Regen (mm)'), ';');
  assert.equal(separatorIn('id\tlat\tlng'), '\t');
  assert.equal(separatorIn('id,lat,lng'), ',');
  assert.equal(separatorIn('id,"a;b;c;d",lng'), ',');
  assert.equal(separatorIn('name;lat;lng (degrees, WGS84)'), ';');
  assert.equal(separatorIn('name'), undefined);
});

test('decimal commas are told from separators', () => {
  assert.equal(hasDecimalCommas(['52,37', ' 4,9'], ';'), true);
  assert.equal(hasDecimalCommas(['52.37', '4.9'], ';'), false);
  assert.equal(hasDecimalCommas(['52,37', '4.9'], ','), false);
  assert.deepEqual(
    ['52,37', ' -4 ', '1e-3', '0x10', '', 'n/a', '1,2,3'].map((text) => decimalNumber(text, true)),
    [52.37, -4, 0.001, undefined, undefined, undefined, undefined],
  );
  assert.equal(decimalNumber('52,37', false), undefined);
});

test('an export of a spreadsheet is read in each of its encodings and separators', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'gw-csv-'));
  t.after(() => rm(folder, { recursive: true }));
  const swapped = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
  for (const [separator, bytesOf] of [
    [',', (text: string) => Buffer.from(text)],
    [';', (text: string) => Buffer.from(`\uFEFF${text}`)],
    ['\t', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['\t', (text: string) => swapped(`\uFEFF${text}`)],
    [';', (text: string) => Buffer.from(text, 'latin1')],
    [';', (text: string) => Buffer.from(`sep=;\r\n${text}`)],
  ] as const) {
    const file = join(folder, 'places.csv');
    const lines = [
      ['Straße', 'lat', 'lng'],
      ['"Köln, ""am"" Ring; 3\tx"', '50.9', '7'],
    ];
    await writeFile(file, bytesOf(lines.map((fields) => fields.join(separator)).join('\r\n')));
    const table = new CsvTable(await readText(file), file, { lat: ['lat'] });
    assert.deepEqual(table.titles, ['Straße', 'lat', 'lng']);
    assert.deepEqual(
      table.rows.map(({ fields }) => fields),
      [['Köln, "am" Ring; 3\tx', '50.9', '7']],
    );
  }
});

test('a workbook and other binary files are refused in words', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'gw-csv-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'places.xlsx');
  await writeFile(file, Buffer.from('PK\u0003\u0004\u0000\u0000'));
  await assert.rejects(readText(file), {
    message: `${file} is no text but a workbook or an archive; save the sheet as CSV`,
  });
  await writeFile(file, Buffer.from('a,b\n\u0000'));
  await assert.rejects(readText(file), { message: `${file} is not a text file` });
  assert.equal(isBinary(Buffer.from('\uFEFFab', 'utf16le')), false);
  assert.equal(encodingOf(Buffer.from('é')), 'utf8');
});

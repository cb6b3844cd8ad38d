import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseDatesCsv, readDatesCsv } from './dates-csv.ts';

const parse = (text: string, bands: number): readonly unknown[] => parseDatesCsv(text, 'dates.csv', bands);
const refuse = (text: string, bands: number, message: RegExp): void => {
  assert.throws(() => parse(text, bands), { name: 'InvalidInput', message });
};

test('returns bands in order, for any order of lines and columns', () => {
  const text = '\uFEFFnote, Scene ,"date",BAND\r\n"a, b",LC8,2020-02-29,2\r\n,"S2 ""x""",2019-12-31,1\r\n';
  assert.deepEqual(parse(text, 2), [
    { band: 1, timeMs: Date.UTC(2019, 11, 31), scene: 'S2 "x"' },
    { band: 2, timeMs: Date.UTC(2020, 1, 29), scene: 'LC8' },
  ]);
});

test('times without an offset are UTC, and the most exact time column is used', () => {
  const times = (text: string, bands = 1): unknown =>
    parse(text, bands).map((row) => (row as { readonly timeMs: number }).timeMs);
  const noon = Date.UTC(2020, 4, 17, 12);
  assert.deepEqual(times('band,datetime\n1,2020-05-17T12:00:00\n'), [noon]);
  assert.deepEqual(times('band,datetime\n1,2020-05-17T14:00:00+02:00\n'), [noon]);
  assert.deepEqual(times('band,datetime_utc\n1,2020-05-17 12:00:00Z\n'), [noon]);
  assert.deepEqual(times('band,date,datetime_utc\n1,2020-05-17,2020-05-17T12:00:00Z\n'), [noon]);
});

test('two scenes of one day are allowed; the same instant twice only if the scenes have different names', () => {
  assert.equal(parse('band,datetime\n1,2020-05-17T10:00:00Z\n2,2020-05-17T10:00:15Z\n', 2).length, 2);
  assert.equal(parse('band,date,scene\n1,2020-05-17,a\n2,2020-05-17,b\n', 2).length, 2);
  refuse(
    'band,date\n1,2020-05-17\n2,2020-05-17\n',
    2,
    /line 3: the same date and scene stand already on line 2/,
  );
  refuse('band,date,scene\n1,2020-05-17,a\n2,2020-05-17,a\n', 2, /line 3: the same date/);
});

test('the message names every bad line and what was expected', () => {
  const text =
    'band,date\n1,2020-02-30\n1.5,2020-01-01\n0,2020-01-01\n4,2020-01-01\n2,2020-01-01\n2,2020-01-02\n3,yesterday\n,2020-01-05\n3\n';
  refuse(text, 3, /dates\.csv, line 2: the date is '2020-02-30'; expected YYYY-MM-DD/);
  refuse(text, 3, /line 3: the band is '1\.5'; expected an integer from 1 to 3/);
  refuse(text, 3, /line 4: the band is '0'/);
  refuse(text, 3, /line 5: the band is '4'/);
  refuse(text, 3, /line 7: band 2 stands already on line 6/);
  refuse(text, 3, /line 8: the date is 'yesterday'/);
  refuse(text, 3, /line 9: the band is ''/);
  refuse(text, 3, /line 10: the date is ''/);
});

test('a scene has no characters that nobody sees', () => {
  refuse(
    'band,date,scene\n1,2020-01-01,a\u202eb\n',
    1,
    /line 2: the scene: expected text without control .*, got U\+202E/,
  );
  refuse('band,date,scene\n1,2020-01-01,"a\nb"\n', 1, /line 2: the scene: .*, got U\+000A/);
});

test('missing columns, missing bands and broken quotes are refused', () => {
  refuse('', 1, /line 1: the columns are ''; expected 'band', one of 'date'/);
  refuse('band,day\n1,2020-01-01\n', 1, /the columns are 'band,day'/);
  refuse('date\n2020-01-01\n', 1, /expected 'band'/);
  refuse('band,date,band\n1,2020-01-01,1\n', 1, /the column 'band' stands twice/);
  refuse('band,date\n2,2020-01-01\n', 4, /3 of the stack's 4 bands have no date: 1, 3, 4/);
  refuse('band,date\n1,"2020-01-01\n', 1, /dates\.csv, line 2: a quote that is not closed/);
  refuse(`band,date\n${'x,2020-01-01\n'.repeat(50)}`, 1, /and 30 more$/);
});

const SHARED = fileURLToPath(new URL('../../../../shared/data/', import.meta.url));
const skip = existsSync(SHARED) ? false : 'the real samples in ../shared/data are not there';

test('reads the dates of the real stacks', { skip }, async () => {
  const tura = await readDatesCsv(join(SHARED, 'tura-landsat-ndvi/dates.csv'), 166);
  assert.deepEqual(tura[0], { band: 1, timeMs: Date.UTC(1984, 5, 6), scene: 'LT51700551984158XXX01' });
  const slovenia = await readDatesCsv(join(SHARED, 'slovenia-sentinel2-ndvi/dates.csv'), 68);
  assert.deepEqual(slovenia[1], { band: 2, timeMs: Date.UTC(2015, 6, 31, 10, 0, 9), scene: null });
  assert.equal((await readDatesCsv(join(SHARED, 'sydney-insar-envisat/dates.csv'), 13)).length, 13);
  assert.equal((await readDatesCsv(join(SHARED, 'matogrosso-modis-stack/dates.csv'), 137)).length, 137);
  await assert.rejects(
    readDatesCsv(join(SHARED, 'sydney-insar-envisat/dates.csv'), 12),
    /line 14: the band is '13'/,
  );
});

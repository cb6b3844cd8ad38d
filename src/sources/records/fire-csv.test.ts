import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidInput } from '../../base/errors.ts';
import { parseFireCsv } from './fire-csv.ts';

test('fire records are recognised by their columns; areas are optional', () => {
  const { areDetections, fires } = parseFireCsv(
    'date,lng,lat,area_ha\n2020-02-24,-7.7,41.8,32.01\n',
    'f.csv',
  );
  assert.deepEqual([areDetections, fires], [false, [{ lat: 41.8, lng: -7.7, day: 18316, areaHa: 32.01 }]]);
});

test('FIRMS detections of low confidence or other than vegetation fires are dropped (FIRMS attribute tables)', () => {
  const viirs = parseFireCsv(
    'latitude,longitude,bright_ti4,acq_date,acq_time,confidence,type\n' +
      '41,-7,330,2020-08-01,1200,n,0\n41,-7,330,2020-08-01,1200,l,0\n41,-7,330,2020-08-01,1200,h,2\n',
    'viirs.csv',
  );
  assert.deepEqual([viirs.areDetections, viirs.fires.length], [true, 1]);
  const modis = parseFireCsv(
    'latitude,longitude,acq_date,confidence\n41,-7,2020-08-01,29\n41,-7,2020-08-01,30\n',
    'modis.csv',
  );
  assert.equal(modis.fires.length, 1);
});

test('an unusable record is refused; the message names line and column', () => {
  for (const [csv, message] of [
    ['lat,lng\n', /no column of date; expected one of acq_date/],
    ['lat,lng,date\n91,0,2020-01-01\n', /line 2: the latitude is '91'/],
    ['lat,lng,date\n9,,2020-01-01\n', /line 2: the longitude is ''/],
    ['lat,lng,date\n9,0,2020-13-01\n', /line 2: the date is '2020-13-01'/],
    ['lat,lng,date,area_ha\n9,0,2020-01-01,\n', /line 2: the area is ''/],
  ] as const)
    assert.throws(() => parseFireCsv(csv, 'f.csv'), { name: InvalidInput.name, message });
});

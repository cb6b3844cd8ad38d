import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readPlaces } from './places-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'groundwatch-places-'));
after(() => rmSync(folder, { recursive: true }));
const read = (text: string) => {
  const path = join(folder, 'places.csv');
  writeFileSync(path, text);
  return readPlaces(path);
};

test('a table of addresses is refused with what is needed in their place', async () => {
  await assert.rejects(read('id,Adresse\n1,"Hauptstr. 1, Wien"\n'), {
    name: 'InvalidInput',
    message:
      /no columns of lat and lng, got id, Adresse; addresses are not looked up: add the latitude and longitude of each$/,
  });
});

test('a table with one of the two columns is refused by the other', async () => {
  await assert.rejects(read('id;Latitude\n1;46,5\n'), /no column of lng; expected one of lng, lon/);
  const { places } = await read('id;Latitude;Lon\n1;46,5;14\n');
  assert.deepEqual([places[0]!.lat, places[0]!.lng], [46.5, 14]);
});

test('a line with a comma in a field without quotes is named: its position would be read from other columns', async () => {
  const { places, bad } = await read(
    'id,address,lat,lng,value\n1,12 Main St, 5,48.5,2.0,100\n2,"12 Main St, 5",48.5,2.0,100\n3,x,48.5,2.0,100,,\n',
  );
  assert.deepEqual(
    places.map(({ id, lat, lng }) => [id, lat, lng]),
    [
      ['2', 48.5, 2],
      ['3', 48.5, 2],
    ],
  );
  assert.deepEqual(bad, [
    { line: 2, problem: '5 columns expected as named, got 6; a field with a comma in it needs quotes' },
  ]);
});

test('a table whose latitude stands twice is refused, and so is one without a line', async () => {
  await assert.rejects(read('lat,Lat,lng\n48,49,2\n'), /line 1: the column lat stands twice; expected once$/);
  await assert.rejects(read(''), /places\.csv is empty$/);
  await assert.rejects(
    read('{"type":"FeatureCollection"}'),
    /places\.csv is JSON; expected a table .*ogr2ogr -f CSV -t_srs EPSG:4326 /,
  );
  for (const [text, kind] of [
    [
      '<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2">',
      /is KML or other XML;/,
    ],
    ['SQLite format 3\0\x10\0\x01\x01', /is a GeoPackage or another database;/],
    ["\0\0'\n\0\0\0\0", /is a shapefile;/],
  ] as const) {
    await assert.rejects(read(text), kind);
    await assert.rejects(read(text), /ogr2ogr -f CSV/);
  }
});

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

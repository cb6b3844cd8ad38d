import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { type Column, GEOMETRIES } from '../../contract/fields.ts';
import { loadParquet, parquetFile } from './parquet-file.ts';

const bytesOf = ({ buffer, byteOffset, byteLength }: Buffer): ArrayBuffer =>
  (buffer as ArrayBuffer).slice(byteOffset, byteOffset + byteLength);
const polygon = {
  type: 'Polygon',
  coordinates: [
    [
      [14.5, -46],
      [15, -46],
      [15, -45],
      [14.5, -46],
    ],
  ],
};
const columns: readonly Column[] = [
  { name: 'name', kind: 'text' },
  { name: 'value', kind: 'number' },
  { name: 'count', kind: 'integer' },
  { name: 'simulated', kind: 'flag' },
  { name: 'at', kind: 'moment' },
  { name: 'day', kind: 'day' },
  { name: 'ids', kind: 'json' },
  GEOMETRIES,
];

test('values of every kind come back, and missing ones are null', async () => {
  await loadParquet();
  const row = {
    name: '=1+1 "東京"',
    value: -1e-7,
    count: 2 ** 40,
    simulated: true,
    at: '2026-08-31T10:00:00.123Z',
    day: '1899-12-31',
    ids: ['a', { b: 1 }],
    wkt: polygon,
  };
  const rows = [row, { name: null }, {}, { ...row, name: '', value: 0, wkt: null }];
  const file = bytesOf(parquetFile(columns, rows));
  const read = await parquetReadObjects({ file });
  const [first, empty, none, last] = read;
  assert.deepEqual(first, {
    name: row.name,
    value: row.value,
    count: BigInt(row.count),
    simulated: true,
    at: new Date(row.at),
    day: new Date(row.day),
    ids: '["a",{"b":1}]',
    geometry: polygon,
  });
  for (const value of [...Object.values(empty!), ...Object.values(none!)]) assert.equal(value, null);
  assert.deepEqual([last!['name'], last!['value'], last!['geometry']], ['', 0, null]);
});

test('a file with geometries is GeoParquet, with the box and the types of what it holds', async () => {
  await loadParquet();
  const { coordinates } = polygon;
  const far = { type: 'MultiPolygon', coordinates: [coordinates, [coordinates[0]!.map(([x]) => [-x!, 80])]] };
  const geoOf = (rows: readonly object[]) => {
    const { key_value_metadata: known } = parquetMetadata(
      bytesOf(parquetFile([GEOMETRIES], rows as readonly Record<string, unknown>[])),
    );
    return JSON.parse(known!.find(({ key }) => key === 'geo')!.value!) as unknown;
  };
  const column = (more: object) => ({
    version: '1.1.0',
    primary_column: 'geometry',
    columns: { geometry: { encoding: 'WKB', ...more } },
  });
  assert.deepEqual(
    geoOf([{ wkt: polygon }, { wkt: null }, { wkt: far }]),
    column({ geometry_types: ['MultiPolygon', 'Polygon'], bbox: [-15, -46, 15, 80] }),
  );
  assert.deepEqual(geoOf([]), column({ geometry_types: [] }));
  const plain = parquetMetadata(bytesOf(parquetFile([{ name: 'v', kind: 'number' }], [{ v: 1 }])));
  assert.equal(plain.key_value_metadata?.some(({ key }) => key === 'geo') ?? false, false);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import type { Column } from '../../contract/fields.ts';
import { loadParquet, parquetFile } from './parquet-file.ts';
import { parquetJoiner } from './joined-parquet.ts';

const COLUMNS: readonly Column[] = [
  { name: 'id', kind: 'text' },
  { name: 'value', kind: 'number' },
  { name: 'at', kind: 'moment' },
  { name: 'wkt', kind: 'geometry' },
];

function page(from: number, count: number) {
  return Array.from({ length: count }, (_, i) => {
    const n = from + i;
    const ring = [
      [n, 0],
      [n + 1, 0],
      [n, n],
      [n, 0],
    ];
    const at = new Date(Date.UTC(2026, 0, 1 + n)).toISOString();
    const wkt = { type: 'Polygon', coordinates: [ring] };
    // Few different texts, so that the column has a dictionary; and a missing value.
    return { id: `a${n % 3}`, value: n === 2 ? null : n / 4, at, wkt };
  });
}

test('files of one schema are joined: all rows in their order, and the box of all of them', async () => {
  await loadParquet();
  const parts = [page(0, 5), page(5, 0), page(5, 1200)];
  const joiner = await parquetJoiner();
  const pieces: Uint8Array[] = [];
  for (const rows of parts) {
    const { bytes, rows: count } = joiner.add(parquetFile(COLUMNS, rows));
    assert.equal(count, rows.length);
    pieces.push(bytes);
  }
  const joined = Buffer.concat([...pieces, joiner.end()]);
  const whole = parquetFile(COLUMNS, parts.flat());
  const bytesOf = (file: Buffer): ArrayBuffer =>
    file.buffer.slice(file.byteOffset, file.byteOffset + file.length) as ArrayBuffer;
  assert.deepEqual(
    await parquetReadObjects({ file: bytesOf(joined) }),
    await parquetReadObjects({ file: bytesOf(whole) }),
  );
  const [found, wanted] = [parquetMetadata(bytesOf(joined)), parquetMetadata(bytesOf(whole))];
  assert.deepEqual(found.key_value_metadata, wanted.key_value_metadata);
  assert.equal(found.num_rows, wanted.num_rows);
});

test('a file of other columns is refused', async () => {
  await loadParquet();
  const joiner = await parquetJoiner();
  joiner.add(parquetFile(COLUMNS, page(0, 1)));
  assert.throws(() => joiner.add(parquetFile(COLUMNS.slice(0, 2), page(0, 1))), /different columns/);
});

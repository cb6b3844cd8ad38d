import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinPages } from './joined-pages.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('pages of CSV have one header', () => {
  assert.deepEqual(joinPages('csv', [bytes('t,v\r\n1,2\r\n'), bytes('t,v\r\n3,"a\nb"\r\n')]), [
    't,v\r\n1,2\r\n3,"a\nb"\r\n',
  ]);
});

test('pages of GeoJSON are one collection', () => {
  const page = (id: string) =>
    bytes(`{"type":"FeatureCollection","features":[{"id":"${id}"}],"next_cursor":"x"}`);
  const [joined] = joinPages('geojson', [page('a'), page('b')]);
  assert.deepEqual(JSON.parse(String(joined)), {
    type: 'FeatureCollection',
    features: [{ id: 'a' }, { id: 'b' }],
  });
});

test('pages of Parquet stay files of their own', () => {
  assert.equal(joinPages('parquet', [bytes('PAR1'), bytes('PAR1')]).length, 2);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidInput } from '../../base/errors.ts';
import { parseLabels } from './labels-file.ts';

const HEADER = 'id,lat,lng,from,to,label';

function problem(text: string): string {
  try {
    parseLabels(text, 'l.csv');
  } catch (error) {
    assert.ok(error instanceof InvalidInput);
    assert.equal(error.param, 'labels');
    return error.message;
  }
  throw new Error('was taken');
}

test('a CSV of points: columns in any order, empty dates, and a last day that is included', () => {
  const [fire, quiet] = parseLabels(
    'label,id,lng,lat,to,from\nburn,a,-7.5,41.8,2020-08-02,2020-08-01\nnone,b,14.5,-3,,\n',
    'l.csv',
  );
  assert.deepEqual(fire, {
    id: 'a',
    place: { kind: 'point', position: [-7.5, 41.8] },
    fromMs: Date.UTC(2020, 7, 1),
    toMs: Date.UTC(2020, 7, 3),
    label: 'burn',
  });
  assert.deepEqual([quiet!.fromMs, quiet!.toMs, quiet!.label], [null, null, 'none']);
});

test('GeoJSON: points and polygons with dates', () => {
  const square = [
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
      [0, 0],
    ],
  ];
  const feature = (geometry: unknown, id: unknown) => ({
    type: 'Feature',
    geometry,
    properties: { id, from: '2020-01-01', to: null, label: 'burn' },
  });
  const [point, area] = parseLabels(
    JSON.stringify({
      type: 'FeatureCollection',
      features: [
        feature({ type: 'Point', coordinates: [5, 6] }, 1),
        feature({ type: 'Polygon', coordinates: square }, 'x'),
      ],
    }),
    'l.geojson',
  );
  assert.deepEqual(point!.place, { kind: 'point', position: [5, 6] });
  assert.deepEqual([point!.id, point!.toMs], ['1', null]);
  assert.ok(area!.place.kind === 'area');
  assert.deepEqual(area!.place.bounds, [0, 0, 1, 1]);
});

test('the message for unusable labels has the line, the expected value and the actual value', () => {
  assert.match(problem('id,lat,lng,label\na,1,2,none'), /line 1: expected the columns .*from, to missing/);
  assert.match(problem(`${HEADER}\na,91,2,,,none`), /line 2: lat: expected degrees within \+-90, got '91'/);
  assert.match(problem(`${HEADER}\na,1,,,,none`), /line 2: lng: .* got ''/);
  assert.match(problem(`${HEADER}\na,1,2,,,fire`), /label: expected one of .*burn.*none; got 'fire'/);
  assert.match(problem(`${HEADER}\na,1,2,2020-02-30,,none`), /from: expected YYYY-MM-DD.*'2020-02-30'/);
  assert.match(
    problem(`${HEADER}\na,1,2,2020-02-03,2020-02-02,none`),
    /to: expected a date at or after from/,
  );
  assert.match(problem(`${HEADER}\n,1,2,,,none`), /id: expected a name/);
  assert.match(problem(`${HEADER}\na,1,2,,,none\na,1,2,,,none`), /line 3: id: a stands twice/);
  assert.match(problem(`${HEADER}\n`), /expected labels, got none/);
  assert.match(problem('{"type":"Feature"}'), /expected a GeoJSON FeatureCollection, got type "Feature"/);
  assert.match(
    problem('{"type":"FeatureCollection","features":[{"geometry":{"type":"LineString"}}]}'),
    /feature 1: geometry/,
  );
  assert.match(problem(`${HEADER}\na,x,2,,,none\nb,y,2,,,none`), /line 2: lat: .* \(and 1 more\)/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Aoi, Incident } from '../../src/client/index.ts';
import { incidentPins } from './incident-pins.ts';

const incident = (bbox: number[], about = { change_count: 1, aoi_ids: ['aoi_1'] }) =>
  ({ id: 'inc_1', title: 'Burnt ground', severity: 'high', bbox, ...about }) as unknown as Incident;
const square = (id: string, west: number, south: number): Aoi => {
  const corners = [
    [west, south],
    [west + 2, south],
    [west + 2, south + 1],
    [west, south + 1],
    [west, south],
  ];
  return { id, geometry: { type: 'Polygon', coordinates: [corners] } } as unknown as Aoi;
};
const AREAS = [square('aoi_1', 10, 40), square('aoi_2', 20, 50), square('aoi_3', 179, -17)];

test('pins have the numbers of the list, and lie in the middle of their boxes', () => {
  const pins = incidentPins([incident([14, 45, 16, 47]), incident([0, 0, 1, 1])], AREAS);
  assert.deepEqual(
    pins.map(({ label }) => label),
    ['1', '2'],
  );
  assert.deepEqual(pins[0]!.at, { lat: 46, lng: 15 });
});

test('the middle of a box across the antimeridian lies in it', () => {
  assert.deepEqual(incidentPins([incident([179, -18, -177, -16])], [])[0]!.at, { lat: -17, lng: -179 });
});

test('an incident without changes has a pin at the corner of each of its areas, since its place in them is unknown', () => {
  const rain = incident([10, 40, 22, 51], { change_count: 0, aoi_ids: ['aoi_1', 'aoi_2', 'aoi_gone'] });
  assert.deepEqual(
    incidentPins([rain], AREAS).map(({ label, at, onEdge }) => [label, at, onEdge]),
    [
      ['1', { lat: 40, lng: 12 }, true],
      ['1', { lat: 50, lng: 22 }, true],
    ],
  );
  const far = incident([179, -17, -179, -16], { change_count: 0, aoi_ids: ['aoi_3'] });
  assert.deepEqual(incidentPins([far], AREAS)[0]!.at, { lat: -17, lng: -179 });
  assert.deepEqual(incidentPins([far], [])[0]!.at, { lat: -16.5, lng: 180 });
});

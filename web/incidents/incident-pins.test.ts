import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Incident } from '../../src/client/index.ts';
import { incidentPins } from './incident-pins.ts';

const incident = (bbox: number[]) =>
  ({ id: 'inc_1', title: 'Burnt ground', severity: 'high', bbox }) as unknown as Incident;

test('pins have the numbers of the list, and lie in the middle of their boxes', () => {
  const pins = incidentPins([incident([14, 45, 16, 47]), incident([0, 0, 1, 1])]);
  assert.deepEqual(
    pins.map(({ label }) => label),
    ['1', '2'],
  );
  assert.deepEqual(pins[0]!.at, { lat: 46, lng: 15 });
});

test('the middle of a box across the antimeridian lies in it', () => {
  assert.deepEqual(incidentPins([incident([179, -18, -177, -16])])[0]!.at, { lat: -17, lng: -179 });
});

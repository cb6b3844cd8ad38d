import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Station } from '../../src/client/index.ts';
import { measuringPlaces } from './measuring-places.ts';

const station = (name: string, metric: string, lat = 46): Station => ({
  id: `stn_${name}_${metric}`,
  name,
  lat,
  lng: 14,
  collection: 'weather',
  metric,
  unit: '1',
  observations: 1,
  first_at: null,
  last_at: null,
});

test('a station with several metrics is one place; two stations of one name at different positions are two', () => {
  const told = [
    station('gauge 10', 'level'),
    station('gauge 9', 'wind'),
    station('gauge 9', 'humidity'),
    station('gauge 9', 'wind'),
    station('gauge 9', 'wind', 47),
  ];
  assert.deepEqual(measuringPlaces(told), [
    { name: 'gauge 9', lat: 46, lng: 14, metrics: ['humidity', 'wind'] },
    { name: 'gauge 9', lat: 47, lng: 14, metrics: ['wind'] },
    { name: 'gauge 10', lat: 46, lng: 14, metrics: ['level'] },
  ]);
});

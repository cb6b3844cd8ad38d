import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byCollection } from './imagery.ts';

const at = (day: string): string => `${day}T10:00:00.000Z`;
const series = (collection: string, metric: string, scenes: number, last: string) => ({
  collection,
  metric,
  scenes,
  first_at: at('2022-01-01'),
  last_at: at(last),
});

test('the metrics of a collection are grouped, with the largest number of scenes and the last date', () => {
  assert.deepEqual(
    byCollection([
      series('forest', 'nbr', 58, '2024-12-02'),
      series('forest', 'ndvi', 60, '2024-12-22'),
      series('radar', 'vv', 46, '2025-01-03'),
    ]),
    [
      { collection: 'forest', metrics: ['nbr', 'ndvi'], scenes: 60, lastAt: at('2024-12-22') },
      { collection: 'radar', metrics: ['vv'], scenes: 46, lastAt: at('2025-01-03') },
    ],
  );
  assert.deepEqual(byCollection([]), []);
});

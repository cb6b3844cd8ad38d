import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyNote } from './history-note.ts';

const every = (days: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => Date.UTC(2024, 0, 1) + i * days * 86_400_000);

test('a short history is told with its length, in days or in scenes', () => {
  assert.match(
    historyNote('ndvi', every(30, 12)),
    /^\nThe collection has 12 scenes over 330 days\. With less/,
  );
  assert.match(historyNote('ndvi', every(60, 14)), /14 scenes over 780 days/);
  assert.match(historyNote('ndvi', every(10, 74)), /74 scenes over 730 days/); // two years have 730.5
});

test('a full history, none, and a metric without changes need no word', () => {
  assert.equal(historyNote('ndvi', every(10, 75)), '');
  assert.equal(historyNote('ndvi', every(60, 15)), '');
  assert.equal(historyNote('ndvi', []), '');
  assert.equal(historyNote('temperature', every(1, 3)), '');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scenesOfChange } from './clear-scenes.ts';

const scene = (day: string, clear = 1) => ({ key: day, sha256: '', timeMs: Date.parse(day), clear });
const dates = (firstAnomaly: string, detected: string, recovered?: string) => ({
  firstAnomalyMs: Date.parse(firstAnomaly),
  detectedMs: Date.parse(detected),
  recoveredMs: recovered === undefined ? null : Date.parse(recovered),
});
const keys = (found: ReturnType<typeof scenesOfChange>) => [
  found.before?.key ?? null,
  found.after?.key ?? null,
];

test('after is the first clear scene since the detection, before the last of the same time of year', () => {
  const scenes = [
    scene('2023-06-20'),
    scene('2024-01-10'),
    scene('2024-06-25'),
    scene('2025-01-20'),
    scene('2025-05-01', 0.4),
    scene('2025-06-10', 0.5),
    scene('2025-06-20'),
    scene('2025-07-20'),
  ];
  assert.deepEqual(keys(scenesOfChange(scenes, dates('2025-04-01', '2025-06-01'))), [
    '2024-06-25',
    '2025-06-20',
  ]);
});

test('a scene of the days before is taken where no other is near in the time of the year', () => {
  const scenes = [scene('2025-01-20'), scene('2025-05-20'), scene('2025-06-20')];
  assert.deepEqual(keys(scenesOfChange(scenes, dates('2025-06-01', '2025-06-15'))), [
    '2025-05-20',
    '2025-06-20',
  ]);
});

test('where no scene is wholly clear, nearly as clear as the clearest is clear enough', () => {
  const scenes = [
    scene('2025-01-01', 0.5),
    scene('2025-01-05', 0.49),
    scene('2025-03-01', 0.1),
    scene('2025-03-05', 0.6),
  ];
  assert.deepEqual(keys(scenesOfChange(scenes, dates('2025-02-01', '2025-03-01'))), [
    '2025-01-05',
    '2025-03-05',
  ]);
});

test('a change that has recovered is shown while it stood', () => {
  const scenes = [scene('2025-01-01'), scene('2025-03-01'), scene('2025-06-01')];
  const found = scenesOfChange(scenes, dates('2025-02-01', '2025-04-01', '2025-05-01'));
  assert.deepEqual(keys(found), ['2025-01-01', '2025-03-01']);
});

test('nothing is shown of what no scene shows', () => {
  const scenes = [scene('2025-01-01', 0), scene('2025-03-01', 0)];
  assert.deepEqual(keys(scenesOfChange(scenes, dates('2025-02-01', '2025-03-01'))), [null, null]);
  assert.deepEqual(keys(scenesOfChange([], dates('2025-02-01', '2025-03-01'))), [null, null]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followRegion, outcomeOf, type SandboxState, UNKNOWN_REGION } from './region.ts';

const state = (status: SandboxState['status'], date: string, progress = 1): SandboxState => ({
  status,
  progress,
  date,
  bounds: [-27, 46, -26.9, 46.1],
  simulated: true,
});
const follow = (...steps: readonly (readonly [SandboxState, moves?: boolean])[]) =>
  steps.reduce((view, [next, moves = false]) => followRegion(view, next, moves), UNKNOWN_REGION);

test('the first answer about the region has nothing asked for again', () => {
  assert.equal(follow([state('ready', '2025-01-01')]).round, 0);
});

test('a region being made is followed, and everything is asked for once when it is ready', () => {
  const made = follow([state('being_made', '2025-01-01', 0.2)], [state('being_made', '2025-01-01', 0.7)]);
  assert.deepEqual([made.round, made.state?.progress], [0, 0.7]);
  assert.equal(followRegion(made, state('ready', '2025-01-01'), false).round, 1);
});

test('a move shows its date as it goes, and has everything asked for once at its end', () => {
  const moving = follow(
    [state('ready', '2025-01-01')],
    [state('ready', '2025-01-09'), true],
    [state('ready', '2025-01-31'), true],
  );
  assert.deepEqual([moving.round, moving.state?.date], [0, '2025-01-31']);
  const moved = followRegion(moving, state('ready', '2025-01-31'), false);
  assert.equal(moved.round, 1);
  assert.equal(followRegion(moved, state('ready', '2025-01-31'), false).round, 1, 'nothing is new');
});

test('a day that the region lived through by itself is noticed', () => {
  assert.equal(follow([state('ready', '2025-01-01')], [state('ready', '2025-01-02')]).round, 1);
});

test('what days brought is told in a line', () => {
  const step = { date: '2025-01-31', days: 30, scenes: 3, observations: 1204 };
  assert.equal(
    outcomeOf({ ...step, changes: { inserted: 1, updated: 4 } }),
    '30 days: 3 scenes and 1,204 observations came in; 1 change new, 4 further on.',
  );
  assert.equal(
    outcomeOf({ ...step, days: 1, scenes: 0, changes: { inserted: 0, updated: 0 } }),
    '1 day: 0 scenes and 1,204 observations came in; no change is new or further on.',
  );
});

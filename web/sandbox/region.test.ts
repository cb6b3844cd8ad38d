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

test('the first response about the region starts no reload', () => {
  assert.equal(follow([state('ready', '2025-01-01')]).round, 0);
});

test('while a region is made its progress is shown; the panes reload once when it is ready', () => {
  const made = follow([state('being_made', '2025-01-01', 0.2)], [state('being_made', '2025-01-01', 0.7)]);
  assert.deepEqual([made.round, made.state?.progress], [0, 0.7]);
  assert.equal(followRegion(made, state('ready', '2025-01-01'), false).round, 1);
});

test('during an advance the date is shown; the panes reload once at its end', () => {
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

test('a day that the region advanced on its own starts a reload', () => {
  assert.equal(follow([state('ready', '2025-01-01')], [state('ready', '2025-01-02')]).round, 1);
});

test('the result of an advance is one line of text', () => {
  const step = { date: '2025-01-31', days: 30, scenes: 3, observations: 1204 };
  assert.equal(
    outcomeOf({ ...step, changes: { inserted: 1, updated: 4 } }),
    '30 days: 3 scenes and 1,204 observations ingested; 1 new change, 4 updated.',
  );
  assert.equal(
    outcomeOf({ ...step, days: 1, scenes: 0, changes: { inserted: 0, updated: 0 } }),
    '1 day: 0 scenes and 1,204 observations ingested; no new or updated changes.',
  );
});

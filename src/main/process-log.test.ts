import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stderrLog } from './process-log.ts';

test('an error repeated within a minute is counted, and the count is logged with its next occurrence', () => {
  const lines: Record<string, unknown>[] = [];
  let now = 0;
  const log = stderrLog(
    'info',
    (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
    () => now,
  );
  const written = () => lines.splice(0).map(({ level, msg, repeated }) => [level, msg, repeated]);
  for (let i = 0; i < 600; i++) log.error('the database is away');
  log.warn('something else');
  assert.deepEqual(written(), [
    ['error', 'the database is away', undefined],
    ['warn', 'something else', undefined],
  ]);
  now = 60_000;
  log.error('the database is away');
  log.info('progress');
  log.info('progress');
  assert.deepEqual(written(), [
    ['error', 'the database is away', 599],
    ['info', 'progress', undefined],
    ['info', 'progress', undefined],
  ]);
});

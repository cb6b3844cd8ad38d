import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogLevel } from '../../base/log-level.ts';
import { isoClock, openLog } from './log.ts';

const answer = { method: 'GET', path: '/v1/risk', status: 200, ms: 1.25, requestId: 'req_1', keyId: 'key_1' };

function logged(level: LogLevel, use: (log: ReturnType<typeof openLog>) => void) {
  const writes: string[] = [];
  const log = openLog(level, (lines) => writes.push(lines));
  use(log);
  const before = writes.length;
  log.close();
  const lines = writes
    .join('')
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '');
  return {
    before,
    writes: writes.length,
    lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

test('an answer is one line of JSON, and is buffered', () => {
  const { before, writes, lines } = logged('info', (log) => {
    log.answered(answer);
    log.answered({ ...answer, keyId: undefined, status: 404 });
    log.info({ count: 3 }, 'a "quoted" message');
  });
  assert.deepEqual([before, writes], [0, 1]);
  const [first, second, third] = lines;
  assert.match(String(first!['time']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  delete first!['time'];
  assert.deepEqual(first, {
    level: 'info',
    msg: 'answered',
    request_id: 'req_1',
    key_id: 'key_1',
    method: 'GET',
    path: '/v1/risk',
    status: 200,
    ms: 1.3,
  });
  assert.ok(second !== undefined && !('key_id' in second));
  assert.equal(second['status'], 404);
  assert.deepEqual([third!['msg'], third!['count']], ['a "quoted" message', 3]);
});

test('an error is written at once, after the buffered lines, with its cause and stack', () => {
  const { before, lines } = logged('info', (log) => {
    log.answered(answer);
    log.error({ request_id: 'req_2', err: new TypeError('no', { cause: new RangeError('disk') }) }, 'failed');
  });
  assert.equal(before, 1);
  assert.deepEqual(
    lines.map(({ level }) => level),
    ['info', 'error'],
  );
  const error = lines[1]!['err'] as Record<string, unknown>;
  assert.deepEqual([error['type'], error['message']], ['TypeError', 'no']);
  assert.match(String(error['stack']), /log\.test/);
  assert.equal((error['cause'] as Record<string, unknown>)['message'], 'disk');
});

test('messages below the level are not written', () => {
  const use = (log: ReturnType<typeof openLog>) => {
    log.answered(answer);
    log.warn({ a: 1 }, 'careful');
    log.error({ a: 1 }, 'broken');
  };
  assert.deepEqual(
    (['trace', 'info', 'warn', 'error', 'fatal', 'silent'] as const).map(
      (level) => logged(level, use).lines.length,
    ),
    [3, 3, 2, 1, 0, 0],
  );
});

test('many buffered lines are written before the timer fires', () => {
  const { before } = logged('info', (log) => {
    for (let i = 0; i < 1000; i++) log.answered(answer);
  });
  assert.ok(before > 1);
});

test('the clock formats each millisecond, also across a change of second', () => {
  let now = Date.parse('2026-12-31T23:59:59.998Z');
  const time = isoClock(() => now);
  for (let i = 0; i < 5; i++, now++) assert.equal(time(), new Date(now).toISOString());
  now = Date.parse('2025-01-01T00:00:00.000Z');
  assert.equal(time(), '2025-01-01T00:00:00.000Z');
});

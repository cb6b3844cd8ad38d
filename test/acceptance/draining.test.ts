import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { startService } from '../fixtures/service.ts';

test('after SIGTERM a node answers for its time to drain, but is not ready and keeps no connection', async (t) => {
  const node = await startService({ GROUNDWATCH_DRAIN: '30' });
  t.after(() => node.stop());
  const before = await node.call('/readyz');
  assert.equal(before.status, 200);
  assert.notEqual(before.headers['connection'], 'close');
  process.kill(node.pid, 'SIGTERM');
  let ready = before;
  for (const end = performance.now() + 15_000; ready.status === 200 && performance.now() < end;) {
    await sleep(50);
    ready = await node.call('/readyz');
  }
  assert.equal(ready.status, 503);
  assert.match(ready.text, /the node is stopping/);
  const answer = await node.call('/v1/aois');
  assert.equal(answer.status, 401, 'calls are answered as before');
  assert.equal(answer.headers['connection'], 'close');
  process.kill(node.pid, 'SIGKILL');
});

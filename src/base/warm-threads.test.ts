import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mock, test } from 'node:test';
import { WarmThreads } from './warm-threads.ts';

const IDLE_THREAD = new URL(
  'data:text/javascript,import { parentPort } from "node:worker_threads"; parentPort.on("message", () => undefined);',
);

test('a returned thread serves the next task; one that has ended does not', async () => {
  const threads = new WarmThreads(IDLE_THREAD);
  const thread = threads.take();
  threads.giveBack(thread);
  assert.equal(threads.take(), thread);
  threads.giveBack(thread);
  await thread.terminate();
  const other = threads.take();
  assert.notEqual(other, thread);
  await other.terminate();
});

test('an idle thread ends and frees its memory', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const threads = new WarmThreads(IDLE_THREAD);
    const thread = threads.take();
    const ended = once(thread, 'exit');
    threads.giveBack(thread);
    mock.timers.tick(30_000);
    await ended;
    const other = threads.take();
    assert.notEqual(other, thread);
    await other.terminate();
  } finally {
    mock.timers.reset();
  }
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mock, test } from 'node:test';
import { WarmThreads } from './warm-threads.ts';

const IDLE_THREAD = new URL(
  'data:text/javascript,import { parentPort } from "node:worker_threads"; parentPort.on("message", () => undefined);',
);
/** Makes 2 MB of buffers twelve times, keeps the last four, and tells how often all garbage was collected. */
const BUFFERS_THREAD = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { constants, PerformanceObserver } from 'node:perf_hooks';
    import { setTimeout as sleep } from 'node:timers/promises';
    import { parentPort } from 'node:worker_threads';
    let collections = 0;
    new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries())
        if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++;
    }).observe({ entryTypes: ['gc'] });
    const kept = [];
    for (let i = 0; i < 12; i++) {
      kept[i % 4] = Array.from({ length: 2000 }, () => new Uint8Array(1e3).fill(i));
      for (let j = 0; j < 2e5; j++) kept[4] = { i, j };
      await sleep(5);
    }
    await sleep(50);
    parentPort.postMessage(collections);`)}`,
);

test('a thread that makes 24 MB of buffers does not collect all garbage', async () => {
  const thread = new WarmThreads(BUFFERS_THREAD).take();
  const [collections] = (await once(thread, 'message')) as [number];
  await thread.terminate();
  assert.equal(collections, 0);
});

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

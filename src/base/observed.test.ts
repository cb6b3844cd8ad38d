import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { listen, type Observation, observe, observeFromThread } from './observed.ts';

test('a listener hears its own thread, and of other threads what is told from there', async () => {
  const heard: Observation[] = [];
  const end = listen((observation) => heard.push(observation));
  observe({ kind: 'failed-job', outcome: 'here' });
  observeFromThread({ kind: 'object-call', operation: 'put', outcome: 'done', bytes: 1 });
  // Not told twice: the thread's result says that a file is damaged, and the main thread observes that.
  const work = `import(require('node:worker_threads').workerData).then(({ observe, observeFromThread }) => {
    observe({ kind: 'damaged-file', outcome: 'found' });
    observeFromThread({ kind: 'object-call', operation: 'put', outcome: 'done', bytes: 58 });
  });`;
  const run = (): Promise<unknown> =>
    once(
      new Worker(work, {
        eval: true,
        workerData: new URL('observed.ts', import.meta.url).href,
        execArgv: [],
      }),
      'exit',
    );
  await run();
  for (let i = 0; i < 500 && heard.length < 3; i++) await pause(10);
  assert.deepEqual(heard, [
    { kind: 'failed-job', outcome: 'here' },
    { kind: 'object-call', operation: 'put', outcome: 'done', bytes: 1 },
    { kind: 'object-call', operation: 'put', outcome: 'done', bytes: 58 },
  ]);
  end();
  observe({ kind: 'failed-job', outcome: 'here' });
  await run();
  assert.equal(heard.length, 3);
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mock, test } from 'node:test';
import { giveBackChangeThread, takeChangeThread } from './change-threads.ts';

test('a thread that is given back serves the next search, one that has ended does not', async () => {
  const thread = takeChangeThread();
  giveBackChangeThread(thread);
  assert.equal(takeChangeThread(), thread);
  giveBackChangeThread(thread);
  await thread.terminate();
  const other = takeChangeThread();
  assert.notEqual(other, thread);
  await other.terminate();
});

test('a thread that nobody asks for ends, and gives its memory back', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const thread = takeChangeThread();
    const ended = once(thread, 'exit');
    giveBackChangeThread(thread);
    mock.timers.tick(30_000);
    await ended;
    const other = takeChangeThread();
    assert.notEqual(other, thread);
    await other.terminate();
  } finally {
    mock.timers.reset();
  }
});

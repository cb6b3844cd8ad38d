import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryDeliveryQueue } from '../../test/fakes/memory-delivery-queue.ts';
import { startDeliveryWorker } from './worker.ts';

/** Interval between two looks while there is work, and after a calm time [ms]; a timer may end a millisecond early. */
const [BUSY_MS, CALM_MS] = [100, 248];

/** A queue that notes when it was asked. */
class WatchedQueue extends MemoryDeliveryQueue {
  readonly asked: number[] = [];

  override claim(request: Parameters<MemoryDeliveryQueue['claim']>[0]) {
    this.asked.push(Date.now());
    return super.claim(request);
  }
}

test('after five seconds without a delivery the queue is asked less often, and with the next delivery as often again', async (t) => {
  // The worker measures the calm by this clock, which the test puts forward.
  const begun = performance.now();
  let calmMs = 0;
  t.mock.method(performance, 'now', () => begun + calmMs);
  const queue = new WatchedQueue({ now: () => Date.now() });
  queue.addEndpoint('wh_1', 'https://127.0.0.1:1/', ['whsec_x']);
  const worker = startDeliveryWorker({
    queue,
    onError: (error) => assert.fail(String(error)),
    attempt: (delivery) =>
      Promise.resolve({
        delivery,
        attempt: { startedAtMs: Date.now(), durationMs: 1, status: 204, answer: '', error: null },
        verdict: { kind: 'delivered' },
      }),
  });
  try {
    /** Intervals between the next looks [ms]. */
    const intervals = async (count: number): Promise<readonly number[]> => {
      const from = queue.asked.length + 1; // the look that is being waited for began before
      while (queue.asked.length <= from + count) await sleep(20);
      const times = queue.asked.slice(from, from + count + 1);
      return times.slice(1).map((time, i) => time - times[i]!);
    };
    /** On a busy machine an interval may be longer, but not for ever. */
    const isOften = async (): Promise<boolean> => {
      for (let tries = 0; tries < 20; tries++)
        if ((await intervals(2)).some((ms) => ms >= BUSY_MS && ms < CALM_MS)) return true;
      return false;
    };
    assert.ok(await isOften(), 'at the beginning');
    calmMs = 4_900;
    assert.ok(await isOften(), 'before the five seconds are over');
    calmMs = 5_100;
    for (const ms of await intervals(3)) assert.ok(ms >= CALM_MS, `asked again after ${ms} ms`);
    queue.enqueue({ id: 'dlv_1', endpointId: 'wh_1', eventId: 'evt_1', body: '{}' });
    while (queue.deliveries.get('dlv_1')!.state !== 'delivered') await sleep(20);
    await sleep(50); // the end of a delivery makes the worker look at once, which is no poll
    assert.ok(await isOften(), 'after a delivery');
  } finally {
    await worker.stop(0);
  }
});

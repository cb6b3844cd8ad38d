import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ObservedSeries, judge } from '../../anomaly/judgement.ts';
import { metricLaw } from '../../anomaly/metric-law.ts';
import { normalDraws, seriesOf } from '../../../test/fakes/simulated-metric-series.ts';
import { judgeSeries } from './judge-series.ts';

/** Feeds of ten years of days: enough together to be judged on threads. */
function feeds(): ObservedSeries[] {
  return Array.from({ length: 8 }, (_, f) => {
    const normal = normalDraws(f + 1);
    const law = metricLaw(f % 2 === 0 ? 'temperature' : 'wind');
    return seriesOf(3650, 1, () => (f % 2 === 0 ? 10 + normal() : Math.abs(normal())), law);
  });
}

test('judged on threads, feeds are what they are when judged one by one, in their order', async () => {
  const given = feeds();
  const together = await judgeSeries(given);
  assert.deepEqual(
    together,
    given.map((feed) => judge(feed)),
  );
  assert.equal(given[0]!.values.length, 3650, 'what was given is still there');
});

test('a feed that cannot be judged fails the pass with its reason, and the next pass is not touched by it', async () => {
  const given = feeds();
  const bad = { ...given[3]!, timesMs: given[3]!.timesMs.toReversed() };
  await assert.rejects(
    judgeSeries(given.with(3, bad)),
    (error: Error) => error.name === 'RangeError' && /times must ascend/.test(error.message),
  );
  const again = await judgeSeries(given);
  assert.deepEqual(again[3], judge(given[3]!));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ObservedSeries, judge } from '../../anomaly/judgement.ts';
import { metricLaw } from '../../anomaly/metric-law.ts';
import { normalDraws, seriesOf } from '../../../test/fakes/simulated-metric-series.ts';
import { judgeSeries } from './judge-series.ts';

/** Returns eight series, each of ten years of daily values: enough in total to be judged in worker threads. */
function dailySeries(): ObservedSeries[] {
  return Array.from({ length: 8 }, (_, f) => {
    const normal = normalDraws(f + 1);
    const law = metricLaw(f % 2 === 0 ? 'temperature' : 'wind');
    return seriesOf(3650, 1, () => (f % 2 === 0 ? 10 + normal() : Math.abs(normal())), law);
  });
}

test('judging in threads gives the same results, in the same order, as judging one by one', async () => {
  const given = dailySeries();
  const together = await judgeSeries(given);
  assert.deepEqual(
    together,
    given.map((one) => judge(one)),
  );
  assert.equal(given[0]!.values.length, 3650, 'the input is not transferred away');
});

test('a series that cannot be judged rejects the call with the reason and does not affect the next call', async () => {
  const given = dailySeries();
  const bad = { ...given[3]!, timesMs: given[3]!.timesMs.toReversed() };
  await assert.rejects(
    judgeSeries(given.with(3, bad)),
    (error: Error) => error.name === 'RangeError' && /times must ascend/.test(error.message),
  );
  const again = await judgeSeries(given);
  assert.deepEqual(again[3], judge(given[3]!));
});

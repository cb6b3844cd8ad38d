// Thread of judge-feeds.ts: judges one series after the other.
import { parentPort } from 'node:worker_threads';
import { type ObservedSeries, judge } from '../../anomaly/judgement.ts';
import { giveWay } from '../../base/give-way.ts';

giveWay();
parentPort!.on('message', (series: ObservedSeries) => {
  // What it throws ends the thread, and so the pass.
  const judged = judge(series);
  const columns = [judged.expected, judged.departure, judged.freedom, judged.tailProbability];
  parentPort!.postMessage(
    judged,
    columns.map(({ buffer }) => buffer as ArrayBuffer),
  );
});

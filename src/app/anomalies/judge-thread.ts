// Worker thread that judge-series.ts starts: judges one series after another.
import { parentPort } from 'node:worker_threads';
import { type ObservedSeries, judge } from '../../anomaly/judgement.ts';
import { lowerThreadPriority } from '../../base/thread-priority.ts';

lowerThreadPriority();
parentPort!.on('message', (series: ObservedSeries) => {
  // An error thrown here ends this thread, and the call of `judgeSeries` then rejects.
  const judged = judge(series);
  const columns = [judged.expected, judged.departure, judged.freedom, judged.tailProbability];
  parentPort!.postMessage(
    judged,
    columns.map(({ buffer }) => buffer as ArrayBuffer),
  );
});

import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { type ObservedSeries, judge, type Judgement } from '../../anomaly/judgement.ts';
import { WarmThreads } from '../../base/warm-threads.ts';
import { threadFile } from '../../base/thread-file.ts';

/**
 * Total number of observations below which the calling thread judges the series itself. Judging this number takes
 * about 15 ms, less than starting a worker thread.
 */
const FEW = 20_000;
/** Maximum number of threads for one call. */
const MOST_THREADS = 4;

const threads = new WarmThreads(threadFile('judge-thread', import.meta.url));

/**
 * Judges each series of an area separately. If there are many observations, worker threads judge them, so that
 * requests are not delayed.
 * @throws RangeError for the same reasons as `judge`
 */
export async function judgeSeries(series: readonly ObservedSeries[]): Promise<Judgement[]> {
  const observations = series.reduce((sum, { timesMs }) => sum + timesMs.length, 0);
  if (observations < FEW) {
    const judgements: Judgement[] = [];
    for (const one of series) {
      judgements.push(judge(one));
      await setImmediate(); // a series takes about a millisecond: let other requests run
    }
    return judgements;
  }
  const judgements: Judgement[] = [];
  const left = series.entries();
  const crew = Math.min(MOST_THREADS, availableParallelism(), series.length);
  await Promise.all(
    Array.from({ length: crew }, async () => {
      const thread = threads.take();
      try {
        for (const [s, one] of left) judgements[s] = await judgedOn(thread, one);
      } catch (error) {
        void thread.terminate();
        throw error;
      }
      threads.giveBack(thread);
    }),
  );
  return judgements;
}

function judgedOn(thread: Worker, { timesMs, values, law }: ObservedSeries): Promise<Judgement> {
  return new Promise((resolve, reject) => {
    const settle = (): Worker => thread.off('message', hear).off('error', fail).off('exit', end);
    const hear = (judged: Judgement): void => {
      settle();
      resolve(judged);
    };
    const fail = (error: Error): void => {
      settle();
      reject(error);
    };
    const end = (): void => fail(new Error('the thread that judged a series has ended'));
    thread.on('message', hear).on('error', fail).on('exit', end);
    thread.postMessage({ timesMs, values, ...(law !== undefined && { law }) } satisfies ObservedSeries);
  });
}

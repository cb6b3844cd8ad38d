import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { type ObservedSeries, judge, type Judgement } from '../../anomaly/judgement.ts';
import { WarmThreads } from '../../base/warm-threads.ts';
import { threadFile } from '../../base/thread-file.ts';

/** Observations of a pass that are judged here, in turns [1]: some 15 ms, less than a thread takes to start. */
const FEW = 20_000;
/** Threads of a pass at most. */
const MOST_THREADS = 4;

const threads = new WarmThreads(threadFile('judge-thread', import.meta.url));

/**
 * Judges the feeds of an area, each by itself; many observations on threads, so that requests go on meanwhile.
 * @throws RangeError as `judge`
 */
export async function judgeSeries(feeds: readonly ObservedSeries[]): Promise<Judgement[]> {
  const observations = feeds.reduce((sum, { timesMs }) => sum + timesMs.length, 0);
  if (observations < FEW) {
    const judgements: Judgement[] = [];
    for (const feed of feeds) {
      judgements.push(judge(feed));
      await setImmediate(); // a feed takes a millisecond; requests go between
    }
    return judgements;
  }
  const judgements: Judgement[] = [];
  const left = feeds.entries();
  const crew = Math.min(MOST_THREADS, availableParallelism(), feeds.length);
  await Promise.all(
    Array.from({ length: crew }, async () => {
      const thread = threads.take();
      try {
        for (const [f, feed] of left) judgements[f] = await judgedOn(thread, feed);
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
    const end = (): void => fail(new Error('the thread that judged a feed has ended'));
    thread.on('message', hear).on('error', fail).on('exit', end);
    thread.postMessage({ timesMs, values, ...(law !== undefined && { law }) } satisfies ObservedSeries);
  });
}

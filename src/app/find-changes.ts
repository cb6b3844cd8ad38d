import { Worker } from 'node:worker_threads';
import type { ChangeObject } from '../monitor/objects.ts';
import type { ObjectEvidence } from '../monitor/provenance.ts';
import type { StackSpec } from '../monitor/stack.ts';
import type { FromThread, ToThread } from './change-thread.ts';

/** A change as the monitor found it, with why it is claimed. */
export interface FoundChange extends ChangeObject {
  readonly evidence: ObjectEvidence;
}

/** One metric that a stack is followed in. */
export interface MetricSeries {
  readonly metric: string;
  /** Metric = raw * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  /** Scenes that the metric itself has. */
  readonly sceneCount: number;
  /** Position among them of each scene of the stack; -1 where it has none. */
  readonly at: Int32Array;
}

/** What the thread begins with: the stack, whose metric is that of the first series. */
export interface ChangeTask {
  readonly spec: StackSpec;
  readonly series: readonly MetricSeries[];
}

/**
 * Reads the series of pixels `[from, to)` in the metric at a position: `values[p * sceneCount + t]`, raw, NaN where nothing
 * was observed. They are handed on to the thread, so that the reader has them no longer.
 */
export type ReadSeries = (metric: number, from: number, to: number) => Promise<Float32Array | Float64Array>;

/**
 * Runs the change monitor over a stack in a thread of its own, which asks for strips of pixels as it needs them, so
 * that neither the whole stack is held nor the event loop. @throws what the monitor or the reader threw
 */
export async function findChanges(
  task: ChangeTask,
  read: ReadSeries,
  progress: (done: number, total: number) => void,
): Promise<readonly FoundChange[]> {
  // Run from its sources or from its build, the thread's file lies beside this one.
  const file = import.meta.url.endsWith('.ts') ? './change-thread.ts' : './change-thread.js';
  const thread = new Worker(new URL(file, import.meta.url), { workerData: task });
  try {
    return await new Promise<readonly FoundChange[]>((resolve, reject) => {
      const answer = async (metric: number, from: number, to: number): Promise<void> => {
        const strip: ToThread = { values: await read(metric, from, to) };
        thread.postMessage(strip, [strip.values.buffer as ArrayBuffer]);
      };
      thread.on('error', reject);
      thread.on('exit', (code) => reject(new Error(`the monitor's thread ended with code ${code}`)));
      thread.on('message', (message: FromThread) => {
        if (message.kind === 'found') resolve(message.changes);
        else if (message.kind === 'progress') progress(message.done, message.total);
        else answer(message.metric, message.from, message.to).catch(reject);
      });
    });
  } finally {
    await thread.terminate();
  }
}

import type { Worker } from 'node:worker_threads';
import { metricTraits, type MetricTraits } from '../../../change/metric.ts';
import type { ChangeObject } from '../../../change/object/objects.ts';
import type { ObjectEvidence } from '../../../change/object/provenance.ts';
import type { StackSpec } from '../../../change/stack.ts';
import type { FromThread, SearchOrder, ToThread } from './change-thread.ts';
import type { CubeAddress, SampleType } from '../../series/cube-store.ts';
import { isScenesMoved, ScenesMoved } from './scenes-moved.ts';
import { WarmThreads } from '../../../base/warm-threads.ts';
import { threadFile } from '../../../base/thread-file.ts';

const searchers = new WarmThreads(threadFile('change-thread', import.meta.url));

/** How long a thread that is told to stop may take to leave nothing half-written [ms]. */
const STOP_MS = 2000;

/** A change as the monitor found it, with why it is claimed. */
export interface FoundChange extends ChangeObject {
  readonly evidence: ObjectEvidence;
}

/** One metric that a stack is followed in. */
export interface MetricSeries {
  readonly metric: string;
  readonly cubeId: string;
  readonly sampleType: SampleType;
  /** Metric = raw * scale + offset. */
  readonly scale: number;
  readonly offset: number;
  /** Digest of each scene that the metric's own cube has, in order of time: what the search rests on. */
  readonly digests: readonly string[];
  /** Position among them of each scene of the stack; -1 where it has none. */
  readonly at: Int32Array;
}

/** What a saved state rests on: it serves a stack of the same kind whose moments begin with its own. */
export interface StateBasis {
  /** Digest of all but the scenes: model, software, grid and metrics. */
  readonly about: string;
  /** Each moment of the stack by time and the digests of its scenes. */
  readonly moments: readonly string[];
}

/** What is searched: the stack, whose metric is that of the first series. */
export interface ChangeTask {
  readonly spec: StackSpec;
  readonly series: readonly MetricSeries[];
  /** Which series are looked at together, by position; the first of each leads. */
  readonly groups: readonly (readonly number[])[];
  /**
   * The search goes on from the state that an earlier one has left beside the cube of the first series, if it rests on
   * this, and leaves its own. Undefined: it begins with the first scene and leaves nothing.
   */
  readonly basis?: StateBasis | undefined;
}

/** Traits of each metric of a task. @throws RangeError where one makes no changes */
export function traitsOf({ series }: ChangeTask): readonly MetricTraits[] {
  return series.map(({ metric }) => {
    const traits = metricTraits(metric);
    if (traits === null) throw new RangeError(`no change is looked for in ${metric}`);
    return traits;
  });
}

/** How a search goes. */
export interface ChangeRun {
  readonly cubes: CubeAddress;
  readonly progress: (done: number, total: number) => void;
  /** As many as the stack is worth, when absent. */
  readonly threads?: number | undefined;
  /** Gives the search up. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the change monitor over a stack in threads that open the cubes for themselves, so that neither the whole stack is
 * held nor the event loop. What is found does not depend on the number of threads, nor on whether the search began with
 * the first scene or went on from an earlier one.
 * @returns what was found in each group
 * @throws ScenesMoved when the cubes' scenes are not those of the task; what else the monitor or the cubes threw, by its
 * name, code and message; the reason of the signal
 */
export async function findChanges(
  task: ChangeTask,
  { cubes, progress, threads, signal }: ChangeRun,
): Promise<readonly (readonly FoundChange[])[]> {
  signal?.throwIfAborted();
  const thread = searchers.take();
  const over = new AbortController();
  try {
    const found = await new Promise<readonly (readonly FoundChange[])[]>((resolve, reject) => {
      const fail = (error: unknown): void => reject(isScenesMoved(error) ? new ScenesMoved() : error);
      const ended = (code: number): void => reject(new Error(`the monitor's thread ended with code ${code}`));
      const changes = task.groups.map((): FoundChange[] => []);
      const hear = (message: FromThread): void => {
        if (message.kind === 'progress') progress(message.done, message.total);
        else if (message.kind === 'over') resolve(changes);
        else {
          changes[message.group]!.push(...message.changes);
          thread.postMessage({ kind: 'more' } satisfies ToThread);
        }
      };
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { signal: over.signal });
      thread.on('error', fail).on('exit', ended).on('message', hear);
      // One by one: all at once would take what the thread's own class listens with.
      over.signal.addEventListener('abort', () =>
        thread.off('error', fail).off('exit', ended).off('message', hear),
      );
      const order: SearchOrder = { task, cubes, threads };
      thread.postMessage({ kind: 'search', order } satisfies ToThread);
    });
    over.abort();
    searchers.giveBack(thread);
    return found;
  } catch (error) {
    over.abort();
    await stopped(thread);
    throw error;
  }
}

/** Ends a thread, if it has not, by itself if it can. */
async function stopped(thread: Worker): Promise<void> {
  thread.on('error', () => undefined); // what it was doing is given up
  thread.postMessage({ kind: 'stop' } satisfies ToThread);
  const last = setTimeout(() => void thread.terminate(), STOP_MS);
  if (thread.threadId !== -1) await new Promise((resolve) => thread.once('exit', resolve));
  clearTimeout(last);
}

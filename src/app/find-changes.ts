import { availableParallelism } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import { metricTraits, type MetricTraits } from '../monitor/metric.ts';
import type { ChangeObject } from '../monitor/objects.ts';
import { PARAMETERS } from '../monitor/parameters.ts';
import type { ObjectEvidence } from '../monitor/provenance.ts';
import type { StackSpec } from '../monitor/stack.ts';
import type { FromThread, ToThread } from './change-thread.ts';
import { serveStack, type StackFiles } from './stack-reader.ts';
import { cachedSeries } from './strip-cache.ts';
import { WarmThreads } from './warm-threads.ts';

const searchers = new WarmThreads('change-thread');

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

/** What a search begins with: the stack, whose metric is that of the first series. */
export interface ChangeTask {
  readonly spec: StackSpec;
  readonly series: readonly MetricSeries[];
  /** Scenes whose state an earlier run has left, to go on from; 0 begins with the first. */
  readonly since: number;
  /** Whether the state after the last scene is to be kept for a later run. */
  readonly keeps: boolean;
}

/** Traits of each metric of a task. @throws RangeError where one makes no changes */
export function traitsOf({ series }: ChangeTask): readonly MetricTraits[] {
  return series.map(({ metric }) => {
    const traits = metricTraits(metric);
    if (traits === null) throw new RangeError(`no change is looked for in ${metric}`);
    return traits;
  });
}

/**
 * Reads the series of pixels `[from, to)` in the metric at a position: `values[p * sceneCount + t]`, raw, NaN where nothing
 * was observed. They are handed on to the thread, so that the reader has them no longer.
 */
export type ReadSeries = (metric: number, from: number, to: number) => Promise<Float32Array | Float64Array>;

/** Values to go through up to which one thread is done before others have started. */
const FEW_VALUES = 2_000_000;
/** What it takes to take a pixel's state up and to leave it, in scenes of a run. */
const RESUMING_SCENES = 3;

/** Memory for the threads' surveys together [bytes]: a tile of 10980 x 10980 with 700 scenes takes 290 MB each. */
const SURVEY_BYTES = 600_000_000;

/** Threads that share a stack: every core, since they give way to what answers requests, as far as memory goes. */
function threadsFor({ spec: { width, height, timesMs }, series, since }: ChangeTask): number {
  const scenes = timesMs.length - since;
  const resuming = since === 0 ? 0 : RESUMING_SCENES;
  if (width * height * series.length * (scenes + resuming) <= FEW_VALUES) return 1;
  const { cellPixels, maxCells, histogramBins } = PARAMETERS;
  const cells = Math.min(maxCells, Math.ceil(width / cellPixels) * Math.ceil(height / cellPixels));
  const surveyBytes = cells * Math.max(1, scenes) * histogramBins * Uint32Array.BYTES_PER_ELEMENT;
  return Math.max(1, Math.min(availableParallelism(), Math.floor(SURVEY_BYTES / surveyBytes)));
}

/** How a run of the monitor goes. */
export interface ChangeRun {
  readonly files: StackFiles;
  readonly progress: (done: number, total: number) => void;
  /** Every core that there is, when absent. */
  readonly threads?: number | undefined;
  /** Gives the run up. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the change monitor over a stack in threads that it has to itself, which ask for strips of pixels as they need them, so
 * that neither the whole stack is held nor the event loop. What is found does not depend on the number of threads, nor on
 * whether the run began with the first scene or went on from an earlier one.
 * @throws what the monitor or the files threw; the reason of the signal
 */
export async function findChanges(
  task: ChangeTask,
  { files, progress, threads = threadsFor(task), signal }: ChangeRun,
): Promise<readonly FoundChange[]> {
  signal?.throwIfAborted();
  const { spec, series } = task;
  const scenes = series.map(({ sceneCount }) => sceneCount);
  const cached = { ...files, series: cachedSeries(files.series, spec.width * spec.height, scenes) };
  const thread = searchers.take();
  const ports: MessagePort[] = [];
  const over = new AbortController();
  try {
    const found = await new Promise<readonly FoundChange[]>((resolve, reject) => {
      const ended = (code: number): void => reject(new Error(`the monitor's thread ended with code ${code}`));
      const hear = (message: FromThread): void => {
        if (message.kind === 'found') resolve(message.changes);
        else if (message.kind === 'progress') progress(message.done, message.total);
        else {
          ports.push(message.port);
          serveStack(message.port, cached, reject);
        }
      };
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { signal: over.signal });
      thread.on('error', reject).on('exit', ended).on('message', hear);
      // One by one: all at once would take what the thread's own class listens with.
      over.signal.addEventListener('abort', () =>
        thread.off('error', reject).off('exit', ended).off('message', hear),
      );
      thread.postMessage({ task, threads } satisfies ToThread);
    });
    over.abort();
    searchers.giveBack(thread);
    return found;
  } catch (error) {
    await thread.terminate();
    throw error;
  } finally {
    over.abort();
    for (const port of ports) port.close();
  }
}

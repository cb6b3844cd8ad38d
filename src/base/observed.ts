import { channel } from 'node:diagnostics_channel';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';
import { traced } from './trace.ts';

/** Something that the process counts and times for its operator. */
export interface Observation {
  readonly kind: ObservedKind;
  /** How it ended, or which kind of job it was: one of few values. */
  readonly outcome: string;
  /** Duration [s]; absent for what has none. */
  readonly seconds?: number;
  /** What was done: one of few values; absent where the kind says it. */
  readonly operation?: string;
  /** Bytes that were read or written; absent for what has none. */
  readonly bytes?: number;
}

/**
 * - `search`, `publication`: of the changes of a collection
 * - `delivery`: one attempt to deliver an event
 * - `replica-read`: whether the replica answered a list
 * - `failed-job`: a job that threw
 * - `damaged-file`, `failed-write`: of the data folder
 * - `object-call`: one call of the object store with its repetitions
 * - `object-copy`: a read of a cube in objects, which found its copy up to date (`hit`) or not (`miss`)
 */
export type ObservedKind =
  | 'search'
  | 'publication'
  | 'delivery'
  | 'replica-read'
  | 'failed-job'
  | 'damaged-file'
  | 'failed-write'
  | 'object-call'
  | 'object-copy';

const NAME = 'groundwatch:observations';
const observations = channel(NAME);
/** In a worker thread, what leads to the listeners of all threads. */
let toAllThreads: BroadcastChannel | undefined;

/** Tells an observation to who listens in this thread. Costs next to nothing when nobody does. */
export function observe(observation: Observation): void {
  observations.publish(observation);
}

/**
 * Tells an observation to who listens in the main thread, from any thread. For what the main thread does not learn from
 * the result of the thread's work.
 */
export function observeFromThread(observation: Observation): void {
  if (isMainThread) {
    observe(observation);
    return;
  }
  toAllThreads ??= new BroadcastChannel(NAME).unref();
  toAllThreads.postMessage(observation);
}

/** Times work, makes a span of it, and tells whether it succeeded. @throws what the work throws */
export async function timed<T>(kind: ObservedKind, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  let outcome = 'failed';
  try {
    const result = await traced({ name: kind, kind: 'internal' }, work);
    outcome = 'done';
    return result;
  } finally {
    observe({ kind, outcome, seconds: (performance.now() - started) / 1000 });
  }
}

/**
 * Calls a function with each observation of this thread, and with those of `observeFromThread` in others.
 * @returns a function that ends this
 */
export function listen(heard: (observation: Observation) => void): () => void {
  const listener = (message: unknown): void => heard(message as Observation);
  const fromThreads = new BroadcastChannel(NAME).unref();
  fromThreads.onmessage = (message): void => listener((message as { readonly data: unknown }).data);
  observations.subscribe(listener);
  return () => {
    observations.unsubscribe(listener);
    fromThreads.close();
  };
}

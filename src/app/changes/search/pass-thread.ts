// Worker thread that pass-crew.ts starts: processes the strips of a pass together with the thread that started it.
import { parentPort, workerData } from 'node:worker_threads';
import { openSearchState } from './block-state.ts';
import { traitsOf } from './change-task.ts';
import { openCubes } from './open-cubes.ts';
import type { FromPassThread, PassStack, PassThreadData, ToPassThread } from './pass-messages.ts';
import { type Bytes, readPart } from './saved-part.ts';
import { type PassJob, type PassState, processStrips, type StackSource } from './stack-pass.ts';
import { StackReader } from './stack-reader.ts';
import { StripCache } from './strip-cache.ts';

/** Least size of memory that is handed over with a result, not copied [bytes]. */
const LARGE_BYTES = 2 ** 20;

const crew = parentPort!;
const { next } = workerData as PassThreadData;
/** `resolve` functions of the parts that are not saved yet, in the order in which the parts were sent. */
const keeping: (() => void)[] = [];
let open: Promise<{ readonly source: StackSource; readonly close: () => Promise<void> }> | undefined;

function send(message: FromPassThread, transfer: readonly ArrayBuffer[] = []): void {
  crew.postMessage(message, transfer);
}

/**
 * Memory of the large arrays in plain data. It is handed over with a result: a copy of the counts of a survey would take
 * tens of megabytes, and stay until the garbage collector finds it.
 */
function largeBuffers(data: unknown, found = new Set<ArrayBuffer>()): ArrayBuffer[] {
  if (ArrayBuffer.isView(data)) {
    const { buffer } = data;
    if (buffer instanceof ArrayBuffer && buffer.byteLength >= LARGE_BYTES) found.add(buffer);
  } else if (typeof data === 'object' && data !== null && !Array.isArray(data))
    for (const part of Object.values(data)) largeBuffers(part, found);
  return [...found];
}

function keep(part: string, bytes: Bytes, note?: Bytes): Promise<void> {
  return new Promise((resolve) => {
    keeping.push(resolve);
    send({ kind: 'keep', part, bytes, note }, [bytes.buffer]);
  });
}

async function opened({ task, cubes: address, strips, since, keeps, left }: PassStack) {
  const cubes = await openCubes(address);
  const state = left && (await openSearchState(cubes, left.cubeId));
  if (state?.heading !== left?.heading) throw new Error('the saved state was replaced while it was read');
  const saved: PassState['saved'] = async (part) => {
    if (state === undefined) throw new RangeError('nothing was saved');
    return await readPart(state, part);
  };
  const reader = new StackReader(cubes, task, strips && new StripCache(task, strips));
  const source: StackSource = {
    spec: task.spec,
    traits: traitsOf(task),
    reader,
    // The thread that started this one reads what a search that died has left.
    state: {
      since,
      keeps,
      saved,
      keep,
      kept: () => Promise.resolve(undefined),
      settle: () => Promise.resolve(false),
    },
  };
  return {
    source,
    close: async () => {
      await state?.close();
      await cubes.close();
    },
  };
}

async function pass(job: PassJob): Promise<void> {
  const { source } = await open!;
  const part = await processStrips(source, job, { next, seen: (pixels) => send({ kind: 'seen', pixels }) });
  send({ kind: 'done', part }, largeBuffers(part));
}

async function over(): Promise<void> {
  const closing = open;
  open = undefined;
  await (await closing)?.close();
}

crew.on('message', (message: ToPassThread) => {
  // An error thrown here ends this thread, and the pass then fails in pass-crew.ts.
  if (message.kind === 'stack') open = opened(message.stack);
  else if (message.kind === 'pass') void pass(message.job);
  else if (message.kind === 'kept') keeping.shift()!();
  else void over();
});

import { observeFromThread } from '../../base/observed.ts';
import type { Condition, ListedObject, ObjectStore, StoredObject } from '../../net/object-store.ts';

/** Counts and times the calls of an object store for the metrics of the process. */
export class ObservedObjects implements ObjectStore {
  readonly #objects: ObjectStore;

  constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  get(...asked: Parameters<ObjectStore['get']>): Promise<StoredObject | 'same' | undefined> {
    return observed(
      'get',
      () => this.#objects.get(...asked),
      (found) => (found === undefined || found === 'same' ? 0 : found.bytes.byteLength),
    );
  }

  put(name: string, bytes: Uint8Array, when: Condition): Promise<string | undefined> {
    return observed(
      'put',
      () => this.#objects.put(name, bytes, when),
      (etag) => (etag === undefined ? 0 : bytes.byteLength),
    );
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    const started = performance.now();
    let outcome = 'failed';
    try {
      for await (const each of this.#objects.list(prefix)) {
        outcome = 'done'; // also when the reader needs no more of it
        yield each;
        outcome = 'failed';
      }
      outcome = 'done';
    } finally {
      observeFromThread({ kind: 'object-call', operation: 'list', outcome, seconds: since(started) });
    }
  }

  delete(name: string): Promise<void> {
    return observed('delete', () => this.#objects.delete(name));
  }

  close(): Promise<void> {
    return this.#objects.close();
  }
}

async function observed<T>(
  operation: string,
  call: () => Promise<T>,
  bytesOf: (result: T) => number = () => 0,
): Promise<T> {
  const started = performance.now();
  const tell = (outcome: string, bytes: number): void =>
    observeFromThread({ kind: 'object-call', operation, outcome, seconds: since(started), bytes });
  try {
    const result = await call();
    tell('done', bytesOf(result));
    return result;
  } catch (error) {
    tell('failed', 0);
    throw error;
  }
}

/** Time since a moment of `performance.now` [s]. */
function since(started: number): number {
  return (performance.now() - started) / 1000;
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Contended, CutOff } from '../../base/errors.ts';
import type { Storage, Stores } from '../storage.ts';

/** Mean pause before a lock or a collection that another process holds is tried again [ms]. */
const PAUSE_MS = 200;
/** Maximum time for which one part waits for the locks of others, and a publication for another one [ms]. */
const PART_WAIT_MS = 120_000;
const TAKE_WAIT_MS = 1_800_000;

/** Another process has taken or published the collection. What is published already stands; the search is repeated. */
export class PublicationLost extends Error {
  override readonly name = 'PublicationLost';
}

/** The right of this process to publish a collection, in several short transactions. */
export interface Publication {
  /** For reads between the parts. */
  readonly storage: Storage;
  /**
   * Runs work in a transaction of its own, which waits for locks only shortly: then it is rolled back, gives its
   * connection back, and is repeated. So it is when the process was silent for so long that the database ended the
   * transaction. The work must have no effects outside the stores.
   * @throws PublicationLost
   */
  part<T>(work: (stores: Stores) => Promise<T>): Promise<T>;
}

/**
 * Runs work while no other process publishes a collection. Waits until it is free.
 * @param signal aborts the waiting
 * @throws PublicationLost
 */
export async function withPublication<T>(
  storage: Storage,
  collectionId: string,
  work: (publication: Publication) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const holder = randomUUID();
  await untilDone(TAKE_WAIT_MS, signal, () => storage.publications.take(collectionId, holder));
  try {
    const monitoredAs = await storage.collections.monitoredAs(collectionId);
    const part = async <R>(act: (stores: Stores) => Promise<R>): Promise<R> => {
      const result: { value?: R } = {};
      await untilDone(PART_WAIT_MS, undefined, async () => {
        try {
          result.value = await storage.transaction(async (stores) => {
            if (!(await stores.publications.renew(collectionId, holder, monitoredAs)))
              throw new PublicationLost('Another process has published the collection');
            return await act(stores);
          });
          return true;
        } catch (error) {
          if (error instanceof Contended || error instanceof CutOff) return false;
          throw error;
        }
      });
      return result.value as R;
    };
    return await work({ storage, part });
  } finally {
    // If this fails, the hold ends by itself.
    await storage.publications.release(collectionId, holder).catch(() => undefined);
  }
}

/** Tries until it succeeds, with pauses. @throws Contended after `mostMs` */
async function untilDone(
  mostMs: number,
  signal: AbortSignal | undefined,
  attempt: () => Promise<boolean>,
): Promise<void> {
  const end = performance.now() + mostMs;
  while (!(await attempt())) {
    if (performance.now() > end) throw new Contended('Another process holds the rows for too long');
    await sleep(PAUSE_MS * (0.5 + Math.random()));
    signal?.throwIfAborted();
  }
}

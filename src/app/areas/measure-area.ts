import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { FairQueue } from '../../base/fair-queue.ts';
import type { AreaGeometry } from '../../geo/polygon.ts';
import { type GeometryTask, geometryWork, type MeasuredArea } from './geometry-work.ts';
import { threadFile } from '../../base/thread-file.ts';

/** Maximum number of positions handled in the calling thread (about 1 ms). A worker thread handles larger inputs. */
const INLINE_POSITIONS = 500;

/** Worker threads at a time, and how long an account waits for one [ms]. Accounts share them. */
const threads = new FairQueue(
  Math.max(2, availableParallelism()),
  'geometry threads of this account',
  10_000,
);

/**
 * Validates and measures a geometry from a caller. A large geometry is handled in a worker thread.
 * @param accountId the account that asks for it
 * @throws NoPlace when the account waits too long for a thread
 */
export async function measureArea(geometry: unknown, accountId: string): Promise<MeasuredArea> {
  const [measured] = await measureAreas([geometry], accountId);
  return measured!;
}

/**
 * Validates and measures several geometries in the same way, in one thread.
 * @returns a result for each, in their order
 * @throws NoPlace when the account waits too long for a thread
 */
export function measureAreas(
  geometries: readonly unknown[],
  accountId: string,
): Promise<readonly MeasuredArea[]> {
  const positions = countPositions(geometries, INLINE_POSITIONS);
  return work({ kind: 'measure', geometries }, positions, accountId) as Promise<readonly MeasuredArea[]>;
}

/**
 * Tests which of `others` share a point with `area`. Large inputs are handled in a worker thread.
 * @param accountId the account that asks for it; undefined: the service itself, which does not wait
 * @returns one flag for each of `others`, in their order
 * @throws NoPlace when the account waits too long for a thread
 */
export function intersecting(
  area: AreaGeometry,
  others: readonly AreaGeometry[],
  accountId?: string,
): Promise<readonly boolean[]> {
  const positions = countPositions([area, others], INLINE_POSITIONS);
  return work({ kind: 'intersect', area, others }, positions, accountId) as Promise<readonly boolean[]>;
}

async function work(task: GeometryTask, positions: number, accountId: string | undefined): Promise<unknown> {
  if (positions <= INLINE_POSITIONS) return geometryWork(task);
  return accountId === undefined ? inThread(task) : threads.with(accountId, () => inThread(task));
}

async function inThread(task: GeometryTask): Promise<unknown> {
  const thread = new Worker(threadFile('geometry-thread', import.meta.url), { workerData: task });
  try {
    return await new Promise((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
      thread.once('exit', (code) => reject(new Error(`the geometry thread ended with code ${code}`)));
    });
  } finally {
    await thread.terminate();
  }
}

/** Counts the positions with a height (arrays of three numbers or more) in the geometry of an area. */
export function countHeights(geometry: unknown): number {
  let count = 0;
  const visit = (item: unknown): void => {
    if (!Array.isArray(item)) return;
    if (typeof item[0] !== 'number') item.forEach(visit);
    else if (item.length > 2) count++;
  };
  visit((geometry as { readonly coordinates?: unknown } | null)?.coordinates);
  return count;
}

/** Counts the positions (arrays of numbers) in a JSON value. Stops counting just above `most`. */
export function countPositions(value: unknown, most: number): number {
  let count = 0;
  const visit = (item: unknown): void => {
    if (count > most || typeof item !== 'object' || item === null) return;
    if (Array.isArray(item) && typeof item[0] === 'number') count++;
    else for (const member of Object.values(item)) visit(member);
  };
  visit(value);
  return count;
}

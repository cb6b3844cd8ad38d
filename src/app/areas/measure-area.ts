import { Worker } from 'node:worker_threads';
import type { AreaGeometry } from '../../geo/polygon.ts';
import { type GeometryTask, geometryWork, type MeasuredArea } from './geometry-work.ts';
import { threadFile } from '../../base/thread-file.ts';

/** Maximum number of positions handled in the calling thread (about 1 ms). A worker thread handles larger inputs. */
const INLINE_POSITIONS = 500;

/** Validates and measures a geometry from a caller. A large geometry is handled in a worker thread. */
export function measureArea(geometry: unknown): Promise<MeasuredArea> {
  return work({ kind: 'measure', geometry }, countPositions(geometry)) as Promise<MeasuredArea>;
}

/**
 * Tests which of `others` share a point with `area`. Large inputs are handled in a worker thread.
 * @returns one flag for each of `others`, in their order
 */
export function intersecting(
  area: AreaGeometry,
  others: readonly AreaGeometry[],
): Promise<readonly boolean[]> {
  const positions = countPositions(area) + others.reduce((sum, other) => sum + countPositions(other), 0);
  return work({ kind: 'intersect', area, others }, positions) as Promise<readonly boolean[]>;
}

async function work(task: GeometryTask, positions: number): Promise<unknown> {
  if (positions <= INLINE_POSITIONS) return geometryWork(task);
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

/** Counts the positions (arrays of numbers) in a JSON value. Stops counting just above INLINE_POSITIONS. */
function countPositions(value: unknown): number {
  let count = 0;
  const visit = (item: unknown): void => {
    if (count > INLINE_POSITIONS || typeof item !== 'object' || item === null) return;
    if (Array.isArray(item) && typeof item[0] === 'number') count++;
    else for (const member of Object.values(item)) visit(member);
  };
  visit(value);
  return count;
}

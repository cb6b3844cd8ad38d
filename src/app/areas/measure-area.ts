import { Worker } from 'node:worker_threads';
import { validateArea, type AreaProblem } from '../../geo/area-validation.ts';
import { geodesicAreaM2 } from '../../geo/area.ts';
import { type Bbox, bboxOf } from '../../geo/bbox.ts';
import type { AreaGeometry } from '../../geo/polygon.ts';
import { prepareArea } from '../../geo/prepared-area.ts';
import { threadFile } from '../../base/thread-file.ts';

/** Geometry with more positions than this, all told, is worked on in a thread: below it takes about a millisecond. */
const INLINE_POSITIONS = 500;

/** An area as it is kept, or why it is none. */
export type MeasuredArea =
  | { readonly ok: true; readonly geometry: AreaGeometry; readonly bounds: Bbox; readonly areaM2: number }
  | { readonly ok: false; readonly problem: AreaProblem };

/** One piece of work on geometry, as plain data. */
export type GeometryTask =
  | { readonly kind: 'measure'; readonly geometry: unknown }
  | { readonly kind: 'intersect'; readonly area: AreaGeometry; readonly others: readonly AreaGeometry[] };

/** Validates a caller's geometry and measures it, off the event loop when it is large. */
export function measureArea(geometry: unknown): Promise<MeasuredArea> {
  return work({ kind: 'measure', geometry }, countPositions(geometry)) as Promise<MeasuredArea>;
}

/** Which of many areas share a point with one, in their order; off the event loop when there is much to compare. */
export function intersecting(
  area: AreaGeometry,
  others: readonly AreaGeometry[],
): Promise<readonly boolean[]> {
  const positions = countPositions(area) + others.reduce((sum, other) => sum + countPositions(other), 0);
  return work({ kind: 'intersect', area, others }, positions) as Promise<readonly boolean[]>;
}

/** Does one piece of work here and now. */
export function geometryWork(task: GeometryTask): MeasuredArea | readonly boolean[] {
  if (task.kind === 'intersect') {
    const area = prepareArea(task.area);
    return task.others.map((other) => area.intersects(prepareArea(other)));
  }
  const checked = validateArea(task.geometry);
  if (!checked.ok) return checked;
  const geometry = checked.area;
  return { ok: true, geometry, bounds: bboxOf(geometry), areaM2: geodesicAreaM2(geometry) };
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

/** Arrays of numbers in anything, counted until it is clear that there are many. */
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

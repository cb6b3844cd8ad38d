import { type Bbox, bboxesOverlap, uniteBboxes } from '../../../geo/bbox.ts';
import type { Deps } from '../../deps.ts';

/** Maximum number of areas whose boxes are read. */
const MOST_AREAS = 10_000;

/** The boxes around the areas of interest of an account, in production and staging. Boxes that meet are joined. */
export async function boxesOfAreas(
  { storage }: Pick<Deps, 'storage'>,
  accountId: string,
): Promise<readonly Bbox[]> {
  const boxes: Bbox[] = [];
  for (const environment of ['production', 'staging'] as const) {
    const page = { limit: MOST_AREAS, after: undefined };
    const { items } = await storage.aois.list({ accountId, environment }, page);
    for (const { bounds } of items) joinInto(boxes, bounds);
  }
  return boxes;
}

/** Adds a box to disjoint boxes, and joins those that it meets, until none meet. */
export function joinInto(boxes: Bbox[], box: Bbox): void {
  let joined = box;
  for (let i = boxes.findIndex(meets); i >= 0; i = boxes.findIndex(meets))
    joined = uniteBboxes(joined, boxes.splice(i, 1)[0]!);
  boxes.push(joined);
  function meets(other: Bbox): boolean {
    return bboxesOverlap(other, joined);
  }
}

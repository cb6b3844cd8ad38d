import { setImmediate as nextTurn } from 'node:timers/promises';
import { meetsBox } from '../geo/area-in-box.ts';
import type { Bbox } from '../geo/bbox.ts';
import type { AreaGeometry } from '../geo/polygon.ts';
import type { Page } from './page.ts';

/** Amount of geometry that is tested at a time, about a millisecond of work [characters of JSON]. */
const AT_ONCE = 100_000;

/**
 * The items of a page whose geometry meets a box, of those whose bounds do. A geometry that several items share is
 * tested once.
 * @param bounds undefined: all items
 */
export async function meetingBox<T extends { readonly geometryText: string }>(
  page: Page<T>,
  bounds: Bbox | undefined,
): Promise<Page<T>> {
  if (bounds === undefined) return page;
  const known = new Map<string, boolean>();
  const items: T[] = [];
  let tested = 0;
  for (const item of page.items) {
    const { geometryText } = item;
    let meets = known.get(geometryText);
    if (meets === undefined) {
      meets = meetsBox(JSON.parse(geometryText) as AreaGeometry, bounds);
      known.set(geometryText, meets);
      tested += geometryText.length;
      if (tested > AT_ONCE) {
        tested = 0;
        await nextTurn();
      }
    }
    if (meets) items.push(item);
  }
  return { ...page, items };
}

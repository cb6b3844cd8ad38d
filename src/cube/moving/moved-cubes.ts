import type { ObjectStore } from '../../net/object-store.ts';
import { HEAD, prefixOf, storedHead } from '../objects/cube-mirror.ts';

/**
 * The ids of the cubes in a bucket.
 * @param isMoved whether to return those that were moved to a folder, and whose objects are still there; else the others
 */
export async function movedFrom(objects: ObjectStore, isMoved: boolean): Promise<readonly string[]> {
  const cubes: string[] = [];
  for await (const { name } of objects.list('cubes/')) {
    const cube = name.split('/')[1]!;
    if (name !== prefixOf(cube) + HEAD) continue;
    const head = await storedHead(objects, prefixOf(cube));
    if (head === undefined) continue;
    const { manifest, moved, files } = head;
    const isWanted = isMoved ? moved !== undefined && Object.keys(files).length > 0 : manifest !== null;
    if (isWanted) cubes.push(decodeURIComponent(cube));
  }
  return cubes;
}

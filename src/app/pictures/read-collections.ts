import { InvalidInput, NotFound } from '../../base/errors.ts';
import { isId } from '../../base/ids.ts';
import type { Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';
import type { Collection, DatedCollection, ListedCollection, Scene } from '../series/collection-store.ts';
import type { Stores } from '../storage.ts';

/** Maximum number of collections of one name that a message lists. */
const MOST_NAMED = 10;

type CollectionStores = Pick<Stores, 'collections'>;

/** Lists the collections of images that an owner may read, newest first. */
export function listCollections(
  { collections }: CollectionStores,
  owner: Owner,
  page: PageRequest,
): Promise<Page<ListedCollection>> {
  return collections.readable(owner, page);
}

/** Finds a collection of images that an owner may read. @throws NotFound */
export async function getCollection(
  { collections }: CollectionStores,
  owner: Owner,
  id: string,
): Promise<Collection> {
  const found = isId('collection', id) ? await collections.findReadable(owner, id) : undefined;
  if (found === undefined) throw new NotFound(`There is no collection ${id}`);
  return found;
}

/** Finds a collection and the times of its first and last scene. @throws NotFound */
export async function getDatedCollection(
  stores: CollectionStores,
  owner: Owner,
  id: string,
): Promise<DatedCollection> {
  const collection = await getCollection(stores, owner, id);
  const [firstAt, lastAt] = await stores.collections.span(collection.id);
  return { ...collection, firstAt, lastAt };
}

/**
 * Lists the scenes of a collection, newest first.
 * @param idOrName id of the collection, or its name where only one has it
 * @throws NotFound for a collection that the owner may not read
 * @throws InvalidInput that lists the ids, where several collections have the name
 */
export async function listScenes(
  stores: CollectionStores,
  owner: Owner,
  idOrName: string,
  page: PageRequest,
): Promise<Page<Scene>> {
  // No name has a NUL, and the database refuses to look for one.
  const named =
    isId('collection', idOrName) || idOrName.includes('\0')
      ? []
      : await stores.collections.readableNamed(owner, idOrName, MOST_NAMED);
  if (named.length > 1) {
    const ids = named.map(({ id, metric }) => `${id} (${metric})`).join(', ');
    throw new InvalidInput(
      `id: expected the id of one collection; several are named ${idOrName}: ${ids}${named.length === MOST_NAMED ? ' and perhaps others' : ''}`,
      { param: 'id' },
    );
  }
  const collection = named[0] ?? (await getCollection(stores, owner, idOrName));
  return stores.collections.scenePage(collection.id, page);
}

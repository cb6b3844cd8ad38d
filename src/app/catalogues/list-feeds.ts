import { FEED_AREAS } from '../../contract/limits.ts';
import type { Owner } from '../owner.ts';
import type { Stores } from '../storage.ts';
import type { FeedState } from './catalogue-store.ts';

/**
 * Lists the feeds that serve an owner, with their state for the owner's areas.
 * @param stores those of all accounts: an account reads no feeds by itself
 */
export async function listFeeds(
  { catalogues }: Pick<Stores, 'catalogues'>,
  owner: Owner,
): Promise<readonly FeedState[]> {
  const states = await catalogues.states(owner, FEED_AREAS);
  return states.map((state) => ({ ...state, url: publicAddress(state.url) }));
}

/** An address without its query and without credentials, which only the operator may know. */
function publicAddress(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

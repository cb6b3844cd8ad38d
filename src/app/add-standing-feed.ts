import type { Deps } from './deps.ts';
import { InvalidInput } from './errors.ts';
import { newId } from './ids.ts';
import type { SceneSource } from './scene-source.ts';
import type { StandingFeed } from './standing-feed-store.ts';

const MAX_NAME = 60; // characters: an area's identifier follows it in the name of a collection
const NOWHERE = [0, 0, 0.01, 0.01] as const; // a box in the sea
const DAY_MS = 86_400_000;

/**
 * Makes a standing feed, once its catalogue has answered a question.
 * @throws InvalidInput when the name is taken or none, or the address is no catalogue; UpstreamUnavailable
 */
export async function addStandingFeed(
  { storage, clock, scenes }: Pick<Deps, 'storage' | 'clock'> & { readonly scenes: SceneSource },
  feed: Omit<StandingFeed, 'id' | 'nextAt'>,
): Promise<string> {
  if (!/^[\w-]+$/.test(feed.name) || feed.name.length > MAX_NAME)
    throw new InvalidInput(
      `The name of a feed: expected 1 to ${MAX_NAME} letters, digits, "_" or "-", got ${JSON.stringify(feed.name)}`,
    );
  const now = clock.now();
  const question = { bounds: NOWHERE, fromMs: now - DAY_MS, toMs: now };
  for await (const found of scenes.search(feed.url, question)) if (found.ok) break;
  const id = newId('standingFeed');
  if (!(await storage.standingFeeds.create({ ...feed, id })))
    throw new InvalidInput(`There is a feed ${feed.name} in ${feed.environment} already: remove it first`);
  return id;
}

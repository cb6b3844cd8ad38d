import type { Deps } from '../deps.ts';
import { InvalidInput } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { SceneSource } from '../imagery/scene-source.ts';
import type { FollowedCatalogue } from './catalogue-store.ts';
import { DAY_MS } from '../../base/time.ts';

const MAX_NAME = 60; // maximum characters of a name; names of collections consist of this name and an area id
const EMPTY_BOX = [0, 0, 0.01, 0.01] as const; // box of the test search [degrees]: open sea, without scenes

/**
 * Starts following a STAC catalogue, after a test search has succeeded.
 * @throws InvalidInput when the name is taken or not valid, or the address is not that of a catalogue;
 * UpstreamUnavailable when the catalogue does not answer
 */
export async function addCatalogue(
  { storage, clock, scenes }: Pick<Deps, 'storage' | 'clock'> & { readonly scenes: SceneSource },
  catalogue: Omit<FollowedCatalogue, 'id' | 'nextAt'>,
): Promise<string> {
  if (!/^[\w-]+$/.test(catalogue.name) || catalogue.name.length > MAX_NAME)
    throw new InvalidInput(
      `The name of a feed: expected 1 to ${MAX_NAME} letters, digits, "_" or "-", got ${JSON.stringify(catalogue.name)}`,
    );
  const now = clock.now();
  const question = { bounds: EMPTY_BOX, fromMs: now - DAY_MS, toMs: now };
  for await (const found of scenes.search(catalogue.url, question)) if (found.ok) break;
  const id = newId('catalogue');
  if (!(await storage.catalogues.create({ ...catalogue, id })))
    throw new InvalidInput(
      `There is a feed ${catalogue.name} in ${catalogue.environment} already: remove it first`,
    );
  return id;
}

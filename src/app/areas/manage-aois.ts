import { InvalidInput, NotFound } from '../../base/errors.ts';
import { isId, newId } from '../../base/ids.ts';
import { hiddenCharacter, NAME_RULE } from '../../contract/name-text.ts';
import { claim, type KeptLimits, WITHOUT_LIMITS } from '../account-use.ts';
import { InsideTest } from './inside-test.ts';
import { measureArea } from './measure-area.ts';
import type { Aoi, DrawnAoi, Imagery } from './aoi-store.ts';
import { meetingBox } from '../meeting-box.ts';
import type { Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';
import type { PlaceAndTime } from '../place-and-time.ts';
import { countVertices } from '../../geo/polygon.ts';
import type { Stores } from '../storage.ts';

/** A new area as the caller sent it; its geometry is not validated yet. */
export interface NewAoi {
  readonly name: string;
  readonly geometry: unknown;
}

/**
 * Creates an area of interest. Changes that were found inside it earlier become visible to its owner.
 * @throws InvalidInput that names the invalid position in the geometry, or the limit of the account that is reached
 */
export async function createAoi(
  stores: Stores,
  owner: Owner,
  input: NewAoi,
  limits: KeptLimits = WITHOUT_LIMITS,
): Promise<Aoi> {
  const name = checkedName(input.name);
  const measured = await measureArea(input.geometry, owner.accountId);
  if (!measured.ok) {
    const { path, message } = measured.problem;
    const param = path === '' ? 'geometry' : `geometry.${path}`;
    throw new InvalidInput(`${param}: ${message}`, { param });
  }
  const { geometry, bounds, areaM2 } = measured;
  const { accountId, environment } = owner;
  // Most of the work is done before the ground is locked.
  const inside = new InsideTest(stores, owner, geometry);
  await inside.among(await stores.changes.overlapping(owner, bounds), accountId);
  await claim(stores, owner, 'areas', limits);
  await claim(stores, owner, 'vertices', limits, countVertices(geometry));
  await stores.changes.lockGround(environment, [bounds], 'create area');
  const aoi = await stores.aois.create({
    id: newId('aoi'),
    accountId,
    environment,
    name,
    geometry,
    bounds,
    areaM2,
  });
  const changes = await stores.changes.overlapping(owner, bounds);
  await stores.changes.reveal(await inside.among(changes), aoi);
  return aoi;
}

/** Lists the owner's areas that meet a box, newest first. Their time is that of their creation. */
export async function listPlacedAois(
  { aois }: Pick<Stores, 'aois'>,
  owner: Owner,
  filter: PlaceAndTime,
  page: PageRequest,
): Promise<Page<DrawnAoi>> {
  return meetingBox(await aois.listPlaced(owner, filter, page), filter.bounds);
}

/** @throws NotFound */
export async function getAoi(stores: Pick<Stores, 'aois'>, owner: Owner, id: string): Promise<Aoi> {
  const aoi = isId('aoi', id) ? await stores.aois.find(owner, id) : undefined;
  if (aoi === undefined) throw new NotFound(`There is no area of interest ${id}`);
  return aoi;
}

/** An area, and a summary of the imagery that overlaps its bounds. */
export interface ExaminedAoi {
  readonly aoi: Aoi;
  readonly imagery: readonly Imagery[];
}

/** Finds an area, and summarises the imagery that overlaps its bounds. @throws NotFound */
export async function examineAoi(
  stores: Pick<Stores, 'aois' | 'collections'>,
  owner: Owner,
  id: string,
): Promise<ExaminedAoi> {
  const aoi = await getAoi(stores, owner, id);
  return { aoi, imagery: await stores.collections.imagery(owner, aoi.bounds) };
}

/** Renames an area, and returns it as `examineAoi` does. @throws NotFound */
export async function renameAoi(
  stores: Pick<Stores, 'aois' | 'collections'>,
  owner: Owner,
  id: string,
  name: string,
): Promise<ExaminedAoi> {
  const checked = checkedName(name);
  const aoi = isId('aoi', id) ? await stores.aois.rename(owner, id, checked) : undefined;
  if (aoi === undefined) throw new NotFound(`There is no area of interest ${id}`);
  return { aoi, imagery: await stores.collections.imagery(owner, aoi.bounds) };
}

/** A character that is seen: neither a space nor one that Unicode says to draw as nothing, such as U+200B. */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}]/u;

/** The name without spaces around it. @throws InvalidInput when nothing is left, or for characters that nobody sees */
export function checkedName(given: string): string {
  const name = given.trim();
  const hidden = hiddenCharacter(name);
  if (hidden === undefined && VISIBLE.test(name)) return name;
  const nothing = name === '' ? 'only spaces' : 'only characters that nobody sees';
  const problem = hidden === undefined ? `some text, got ${nothing}` : `${NAME_RULE}, got ${hidden}`;
  throw new InvalidInput(`name: expected ${problem}`, { param: 'name' });
}

/** Deletes an area and cancels its subscriptions. @throws NotFound */
export async function deleteAoi(stores: Stores, owner: Owner, id: string): Promise<void> {
  const removed = isId('aoi', id) && (await stores.aois.remove(owner, id));
  if (!removed) throw new NotFound(`There is no area of interest ${id}`);
}

import { InvalidInput, NotFound } from '../../base/errors.ts';
import { isId, newId } from '../../base/ids.ts';
import { hiddenCharacter, NAME_RULE } from '../../contract/name-text.ts';
import { claim, type KeptLimits, WITHOUT_LIMITS } from '../account-use.ts';
import { intersecting, measureArea } from './measure-area.ts';
import type { Aoi, DrawnAoi, Imagery } from './aoi-store.ts';
import type { AreaGeometry } from '../../geo/polygon.ts';
import { meetingBox } from '../meeting-box.ts';
import type { Owner } from '../owner.ts';
import type { Page, PageRequest } from '../page.ts';
import type { PlaceAndTime } from '../place-and-time.ts';
import { countVertices } from '../../geo/polygon.ts';
import type { Stores } from '../storage.ts';

/** Number of changes whose geometries are in memory at once while an area is created. */
const TESTED_AT_ONCE = 500;

/** A change as the store tells it by place. */
type ChangeMark = Awaited<ReturnType<Stores['changes']['overlapping']>>[number];

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

/** Tests which changes share a point with an area. Remembers its results, and reads some geometries at a time. */
class InsideTest {
  readonly #stores: Pick<Stores, 'changes'>;
  readonly #owner: Owner;
  readonly #area: AreaGeometry;
  /** Results by the id and digest of a change, because a change that is published again may have another geometry. */
  readonly #known = new Map<string, boolean>();

  constructor(stores: Pick<Stores, 'changes'>, owner: Owner, area: AreaGeometry) {
    this.#stores = stores;
    this.#owner = owner;
    this.#area = area;
  }

  /**
   * Returns those of the changes that share a point with the area.
   * @param accountId the account that waits for a thread; undefined: none waits, because the ground is locked
   */
  async among(changes: readonly ChangeMark[], accountId?: string): Promise<readonly ChangeMark[]> {
    const keyOf = ({ id, digest }: ChangeMark): string => `${id} ${digest}`;
    const unknown = changes.filter((change) => !this.#known.has(keyOf(change)));
    for (let from = 0; from < unknown.length; from += TESTED_AT_ONCE) {
      const part = unknown.slice(from, from + TESTED_AT_ONCE);
      const geometries = await this.#stores.changes.geometries(
        this.#owner,
        part.map(({ id }) => id),
      );
      const found = part.filter(({ id }) => geometries.has(id));
      const touched = await intersecting(
        this.#area,
        found.map(({ id }) => geometries.get(id)!),
        accountId,
      );
      for (const [i, change] of found.entries()) this.#known.set(keyOf(change), touched[i]!);
    }
    return changes.filter((change) => this.#known.get(keyOf(change)) === true);
  }
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

/** Finds an area, and summarises the imagery that overlaps its bounds. @throws NotFound */
export async function examineAoi(
  stores: Pick<Stores, 'aois' | 'collections'>,
  owner: Owner,
  id: string,
): Promise<{ readonly aoi: Aoi; readonly imagery: readonly Imagery[] }> {
  const aoi = await getAoi(stores, owner, id);
  return { aoi, imagery: await stores.collections.imagery(owner, aoi.bounds) };
}

/** @throws NotFound */
export async function renameAoi(stores: Stores, owner: Owner, id: string, name: string): Promise<Aoi> {
  const checked = checkedName(name);
  const aoi = isId('aoi', id) ? await stores.aois.rename(owner, id, checked) : undefined;
  if (aoi === undefined) throw new NotFound(`There is no area of interest ${id}`);
  return aoi;
}

/** The name without spaces around it. @throws InvalidInput when nothing is left, or for characters that nobody sees */
function checkedName(given: string): string {
  const name = given.trim();
  const hidden = hiddenCharacter(name);
  if (name !== '' && hidden === undefined) return name;
  const problem = hidden === undefined ? 'some text, got only spaces' : `${NAME_RULE}, got ${hidden}`;
  throw new InvalidInput(`name: expected ${problem}`, { param: 'name' });
}

/** Deletes an area and cancels its subscriptions. @throws NotFound */
export async function deleteAoi(stores: Stores, owner: Owner, id: string): Promise<void> {
  const removed = isId('aoi', id) && (await stores.aois.remove(owner, id));
  if (!removed) throw new NotFound(`There is no area of interest ${id}`);
}

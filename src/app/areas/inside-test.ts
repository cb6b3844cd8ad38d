import type { AreaGeometry } from '../../geo/polygon.ts';
import type { Owner } from '../owner.ts';
import type { Stores } from '../storage.ts';
import { intersecting } from './measure-area.ts';

/** Number of changes whose geometries are in memory at once while an area is created. */
const TESTED_AT_ONCE = 500;

/** A change as the store tells it by place. */
type ChangeMark = Awaited<ReturnType<Stores['changes']['overlapping']>>[number];

/** Tests which changes share a point with an area. Remembers its results, and reads some geometries at a time. */
export class InsideTest {
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

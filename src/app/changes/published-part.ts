import { simplifyArea } from '../../geo/simplify.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import { intersecting } from '../areas/measure-area.ts';
import type { Collection } from '../series/collection-store.ts';
import type { Stores } from '../storage.ts';
import type { eventOf } from './change-events.ts';
import type { ChangeRecord, NewChange } from './change-store.ts';
import { presentChange } from './present-change.ts';
import type { Publication } from './publication.ts';
import { EVENT_VERTICES } from '../../contract/limits.ts';

/** What a run states of one change. */
export interface Statement {
  /** Id of the change. */
  readonly id: string;
  readonly isNew: boolean;
  /** Id of the record from which the statement is made: the change itself, or one that it was a part of. */
  readonly reads: string | undefined;
  /** @param record the record of `reads` */
  state(record: ChangeRecord | undefined): {
    readonly change: NewChange;
    /** Type of the event to send. */
    readonly type: ReturnType<typeof eventOf>;
  };
}

/** A statement with the records that it needs, ready to be written. */
interface Prepared {
  readonly change: NewChange;
  readonly type: ReturnType<typeof eventOf>;
  readonly before: ChangeRecord | undefined;
  /** Whether the change shares a point with an area, by the id of the area: those that were tested so far. */
  readonly touches: Map<string, boolean>;
}

/** Time that the transaction of a part should take [ms]. The number of changes of the next part follows from it. */
const TARGET_MS = 200;
/** Limits of the number of changes of a part, and the number in the first one. */
const [FEWEST, MOST, FIRST] = [1, 100, 8];
/** Number of areas whose geometries are in memory at once. */
const AREAS_AT_ONCE = 200;

/**
 * Changes of a collection that are published in one transaction. The number of changes is such that the transaction
 * takes a fraction of a second. Outlines, digests and tests of geometries are computed before it.
 */
export class PublishedPart {
  readonly #publication: Publication;
  readonly #collection: Collection;
  #statements: Statement[] = [];
  #size = FIRST;

  constructor(publication: Publication, collection: Collection) {
    this.#publication = publication;
    this.#collection = collection;
  }

  /** Adds statements that belong together. Publishes the part when it is full. */
  async add(statements: readonly Statement[]): Promise<void> {
    this.#statements.push(...statements);
    if (this.#statements.length >= this.#size) await this.publish();
  }

  /** Publishes what was added since the last time. */
  async publish(): Promise<void> {
    const statements = this.#statements;
    if (statements.length === 0) return;
    this.#statements = [];
    const prepared = await this.#prepare(statements);
    const boxes = prepared.flatMap(({ change, before }) =>
      before === undefined ? [change.bounds] : [change.bounds, before.bounds],
    );
    let began = 0;
    await this.#publication.part(async (stores) => {
      await stores.changes.lockGround(this.#collection.environment, boxes, 'publish');
      began = performance.now();
      for (const one of prepared) await this.#put(stores, one);
    });
    const factor = TARGET_MS / Math.max(1, performance.now() - began);
    this.#size = Math.max(FEWEST, Math.min(MOST, Math.ceil(statements.length * Math.min(2, factor))));
  }

  async #prepare(statements: readonly Statement[]): Promise<readonly Prepared[]> {
    const { storage } = this.#publication;
    const records = await storage.changes.byIds([...new Set(statements.flatMap(({ reads }) => reads ?? []))]);
    const prepared: Prepared[] = [];
    for (const statement of statements) {
      const { id, isNew, reads } = statement;
      const { change, type } = statement.state(reads === undefined ? undefined : records.get(reads));
      const one = {
        change,
        type,
        before: isNew ? undefined : records.get(id),
        touches: new Map<string, boolean>(),
      };
      await this.#areasOf(storage, one);
      prepared.push(one);
    }
    return prepared;
  }

  async #put(stores: Stores, one: Prepared): Promise<void> {
    const { change, type, before } = one;
    if (before === undefined) await stores.changes.insert(change);
    else await stores.changes.update(change);
    const aois = await this.#areasOf(stores, one);
    await stores.changes.link(change, aois);
    if (type === undefined) return;
    await stores.events.emitAll(
      [...Map.groupBy(aois, (aoi) => aoi.accountId)].map(([accountId, theirs]) => ({
        owner: { accountId, environment: this.#collection.environment },
        type,
        data: eventData(change, theirs, before),
      })),
    );
  }

  /** Finds the areas that share a point with a change. Those that were tested before are not tested again. */
  async #areasOf(
    stores: Pick<Stores, 'aois'>,
    { change, touches }: Pick<Prepared, 'change' | 'touches'>,
  ): Promise<readonly Pick<Aoi, 'id' | 'accountId' | 'environment'>[]> {
    const { environment, accountId } = this.#collection;
    const aois = await stores.aois.overlapping(environment, accountId, change.bounds);
    const unknown = aois.filter(({ id }) => !touches.has(id)).map(({ id }) => id);
    for (let from = 0; from < unknown.length; from += AREAS_AT_ONCE) {
      const geometries = [...(await stores.aois.geometries(unknown.slice(from, from + AREAS_AT_ONCE)))];
      const touched = await intersecting(
        change.geometry,
        geometries.map(([, geometry]) => geometry),
      );
      for (const [i, [id]] of geometries.entries()) touches.set(id, touched[i]!);
    }
    return aois.filter(({ id }) => touches.get(id) === true);
  }
}

function eventData(
  change: NewChange,
  aois: readonly Pick<Aoi, 'id'>[],
  before: ChangeRecord | undefined,
): Readonly<Record<string, unknown>> {
  const now = new Date();
  const listed = {
    ...change,
    geometry: simplifyArea(change.geometry, EVENT_VERTICES),
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  };
  return {
    ...presentChange(
      listed,
      aois.map((aoi) => aoi.id),
    ),
    url: `/v1/changes/${change.id}`,
    images_url: `/v1/changes/${change.id}/images`,
  };
}

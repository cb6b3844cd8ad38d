import { type Kysely, sql } from 'kysely';
import type { ChangeStore } from '../../app/changes/change-store.ts';
import type { Owner } from '../../app/owner.ts';
import type { Bbox } from '../../geo/bbox.ts';
import { turnedBoxes } from '../connection/bounds.ts';
import type { Database } from '../schema.ts';

type ChangeMark = Awaited<ReturnType<ChangeStore['overlapping']>>[number];

/** Changes that an owner may see whose bounds overlap one of some boxes, by the index of the box, in order of their ids. */
export async function changesUnderBoxes(
  db: Kysely<Database>,
  { accountId, environment }: Owner,
  boxes: readonly Bbox[],
): Promise<ReadonlyMap<number, readonly ChangeMark[]>> {
  const turned = boxes.map(turnedBoxes);
  const indices = turned.flatMap((three, i) => three.map(() => i));
  const { rows } = await sql<ChangeMark & { readonly at: number }>`
    select distinct asked.at, changes.id, changes.digest, changes.status, changes.detected_at as "detectedAt"
    from unnest(${indices}::integer[], ${turned.flat()}::text[]) as asked (at, box)
    join readable_changes changes on changes.bounds && asked.box::box
    join collections on collections.id = changes.collection_id
    where changes.environment = ${environment}
      and (collections.account_id is null or collections.account_id = ${accountId})
    order by asked.at, changes.id`.execute(db);
  const found = new Map<number, ChangeMark[]>();
  for (const { at, ...mark } of rows) {
    const marks = found.get(at);
    if (marks === undefined) found.set(at, [mark]);
    else marks.push(mark);
  }
  return found;
}

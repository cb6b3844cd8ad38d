import { sql, type Kysely } from 'kysely';
import type { ClaimFates } from '../app/changes/change-store.ts';
import type { Owner } from '../app/owner.ts';
import type { Database } from './schema.ts';

/** Counts the fates of the claims that are visible through the owner's areas, see `ChangeStore.fates`. */
export async function claimFates(
  db: Kysely<Database>,
  owner: Owner,
  most: number,
): Promise<readonly ClaimFates[]> {
  const { rows } = await sql<Omit<ClaimFates, 'collection'> & Record<'id' | 'name' | 'metric', string>>`
    with seen as (
      select distinct link.change_id
      from aoi_changes link join aois on aois.id = link.aoi_id and aois.deleted_at is null
      where link.account_id = ${owner.accountId} and link.environment = ${owner.environment}
      order by link.change_id desc
      limit ${most}
    ), claimed as (
      select changes.collection_id, changes.type, changes.baseline, changes.status, changes.confirmed_at
      from seen join changes on changes.id = seen.change_id
      where changes.told_as = 'confirmed' and changes.baseline is not null
        and not (changes.status = 'rejected' and changes.versions -> -1 ? 'id')
    ), ended as (
      select id, (
        select max(observed_at) at time zone 'UTC' from scenes where scenes.collection_id = theirs.id
      ) as last_at
      from (select distinct collection_id as id from claimed) as theirs
    ), counted as (
      select claimed.*, claimed.confirmed_at + interval '1 year' <= ended.last_at as is_old
      from claimed join ended on ended.id = claimed.collection_id
    )
    select
      collections.id,
      collections.name,
      collections.metric,
      counted.type,
      counted.baseline,
      count(*)::int as claims,
      count(*) filter (where status = 'confirmed' and is_old)::int as stood,
      count(*) filter (where status = 'recovered')::int as passed,
      count(*) filter (where status = 'rejected')::int as "takenBack",
      count(*) filter (
        where status = 'suspected' or status = 'confirmed' and is_old is not true
      )::int as young
    from counted join collections on collections.id = counted.collection_id
    group by collections.id, counted.type, counted.baseline
    order by collections.name, collections.metric, collections.id, counted.type, counted.baseline`.execute(
    db,
  );
  return rows.map(({ id, name, metric, ...fates }) => ({ collection: { id, name, metric }, ...fates }));
}

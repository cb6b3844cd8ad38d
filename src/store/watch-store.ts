import { sql, type Kysely, type RawBuilder, type Selectable } from 'kysely';
import type { Peril } from '../contract/fields.ts';
import type { AreaGeometry } from '../geo/polygon.ts';
import type { Owner } from '../app/owner.ts';
import type { Watch, WatchScope, WatchStore } from '../app/watches/watch-store.ts';
import { newestFirst } from './connection/page.ts';
import type { Database } from './schema.ts';
import type { RiskWatchesTable } from './tables/watch-tables.ts';

/**
 * An adopted state counts as abandoned when no node has confirmed it for this time [s]: ten times the interval at
 * which the nodes search for watches that must be scored again.
 */
const ABANDONED_S = 300;

function watchOf(row: Selectable<RiskWatchesTable>): Watch {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: row.environment,
    peril: row.peril as Peril,
    threshold: row.threshold,
    place: row.aoi_id === null ? { lat: row.lat!, lng: row.lng! } : { aoiId: row.aoi_id },
    subscriptionId: row.subscription_id,
    isActive: row.active,
    riskScore: row.risk_score,
    confidence: row.confidence,
    isAbove: row.above,
    modelVersion: row.model_version,
    scoredAt: row.scored_at,
    createdAt: row.created_at,
  };
}

/** A table `given` of scopes, with the place of each. */
function given(scopes: readonly WatchScope[]): RawBuilder<unknown> {
  return sql`unnest(${scopes.map(({ environment }) => environment)}::text[]::environment[],
      ${scopes.map(({ peril }) => peril)}::text[], ${scopes.map(({ state }) => state)}::text[])
    with ordinality as given (environment, peril, state, place)`;
}

/**
 * Risk watches in the database.
 * Long function: one method per query; create and record name every column.
 */
export function watchStore(db: Kysely<Database>): WatchStore {
  const owned = (owner: Owner) =>
    db
      .selectFrom('risk_watches')
      .selectAll()
      .where('account_id', '=', owner.accountId)
      .where('environment', '=', owner.environment);
  const active = ({ environment, peril }: WatchScope) =>
    sql`environment = ${environment} and peril = ${peril} and active`;
  return {
    async create(watches) {
      if (watches.length === 0) return;
      await db
        .insertInto('risk_watches')
        .values(
          watches.map((watch) => ({
            account_id: watch.accountId,
            environment: watch.environment,
            id: watch.id,
            peril: watch.peril,
            threshold: watch.threshold,
            lat: 'lat' in watch.place ? watch.place.lat : null,
            lng: 'lat' in watch.place ? watch.place.lng : null,
            aoi_id: 'aoiId' in watch.place ? watch.place.aoiId : null,
            subscription_id: watch.subscriptionId,
            active: watch.isActive,
            risk_score: watch.riskScore,
            confidence: watch.confidence,
            above: watch.isAbove,
            model_version: watch.modelVersion,
            scored_as: watch.scoredAs,
            scored_at: watch.scoredAt,
            created_at: watch.scoredAt,
          })),
        )
        .execute();
    },
    async find(owner, id) {
      const row = await owned(owner).where('id', '=', id).executeTakeFirst();
      return row && watchOf(row);
    },
    list: (owner, page) => newestFirst(owned(owner), 'id', page, watchOf),
    async remove(owner, id) {
      const removed = await db
        .deleteFrom('risk_watches')
        .where('account_id', '=', owner.accountId)
        .where('environment', '=', owner.environment)
        .where('id', '=', id)
        .executeTakeFirst();
      return removed.numDeletedRows > 0n;
    },
    async activateOf(subscriptionId, isActive) {
      await db
        .updateTable('risk_watches')
        .set({ active: isActive })
        .where('subscription_id', '=', subscriptionId)
        .where('active', '<>', isActive)
        .execute();
    },
    async removeOf(subscriptionId) {
      await db.deleteFrom('risk_watches').where('subscription_id', '=', subscriptionId).execute();
    },
    async adopt(scopes, isNew) {
      if (scopes.length === 0) return;
      await sql`
        insert into risk_states (environment, peril, state)
        select environment, peril, state from ${given(scopes)}
        on conflict (environment, peril) do update set state = excluded.state, adopted_at = now()
        where ${isNew} or risk_states.state = excluded.state
          or risk_states.adopted_at < now() - make_interval(secs => ${ABANDONED_S})`.execute(db);
    },
    async isAdopted({ environment, peril, state }) {
      const { rows } = await sql<{ state: string }>`
        select state from risk_states where environment = ${environment} and peril = ${peril} for share`.execute(
        db,
      );
      return rows[0]?.state === state;
    },
    async stale(scopes) {
      if (scopes.length === 0) return [];
      const of = sql`w.environment = given.environment and w.peril = given.peril and w.active`;
      // The two conditions are two range scans of the index; `<>` would read the whole index.
      const { rows } = await sql<{ place: number }>`
        select given.place::int as place from ${given(scopes)}
        where exists (select from risk_watches w where ${of} and w.scored_as < given.state)
          or exists (select from risk_watches w where ${of} and w.scored_as > given.state)
        order by given.place`.execute(db);
      return rows.map(({ place }) => scopes[place - 1]!);
    },
    async claimStale(scope, { on, after, limit }) {
      const { rows } = await sql<Selectable<RiskWatchesTable>>`
        select * from risk_watches
        where ${active(scope)} and scored_as <> ${scope.state}
          and (scored_as, id) > (${after?.scoredAs ?? ''}, ${after?.id ?? ''})
          and ${on === 'areas' ? sql`aoi_id is not null` : sql`aoi_id is null`}
        order by scored_as, id limit ${limit} for update skip locked`.execute(db);
      return rows.map((row) => ({ ...watchOf(row), position: { scoredAs: row.scored_as, id: row.id } }));
    },
    async record({ state }, scored, at) {
      if (scored.length === 0) return;
      await sql`
        update risk_watches
        set risk_score = found.score, confidence = found.confidence, above = found.above,
          model_version = found.model, scored_as = ${state}, scored_at = ${at}
        from unnest(${scored.map(({ id }) => id)}::text[], ${scored.map(({ riskScore }) => riskScore)}::float8[],
          ${scored.map(({ confidence }) => confidence)}::float8[], ${scored.map(({ isAbove }) => isAbove)}::boolean[],
          ${scored.map(({ modelVersion }) => modelVersion)}::text[]) as found (id, score, confidence, above, model)
        where risk_watches.id = found.id`.execute(db);
    },
    async areas(ids) {
      const rows = await db
        .selectFrom('aois')
        .select(['id', 'geometry', 'area_m2'])
        .where('id', 'in', ids)
        .where('deleted_at', 'is', null)
        .execute();
      return new Map(
        rows.map((row) => [row.id, { geometry: row.geometry as AreaGeometry, areaM2: row.area_m2 }]),
      );
    },
    async removeAll(ids) {
      if (ids.length > 0) await db.deleteFrom('risk_watches').where('id', 'in', ids).execute();
    },
  };
}

import { sql } from 'kysely';
import type { OpenDatabase } from '../../src/store/connection/database.ts';

type Db = OpenDatabase['db'];

/** Replaces all watches by `count` watched points, a tenth of them in the flooded region. */
export async function fillPoints(db: Db, accountId: string, count: number): Promise<void> {
  await sql`truncate risk_watches, events, deliveries, risk_states cascade`.execute(db);
  await sql`
    insert into risk_watches (account_id, environment, id, peril, threshold, lat, lng, risk_score, confidence,
      above, model_version, scored_as, scored_at)
    select ${accountId}, 'production', 'rw_' || md5(i::text), 'flood', 0.7, 40 + i % 100 * 0.1,
      12 + i % 10 * 1.1, 0, 0.4, false, 'flood-v0.3.0', 'before', now()
    from generate_series(1, ${count}::int) as i`.execute(db);
  await sql`analyze risk_watches`.execute(db);
}

/** Replaces all watches by `count` watched areas, all in the flooded region. */
export async function fillAreas(db: Db, accountId: string, count: number): Promise<void> {
  await sql`truncate risk_watches, events, deliveries, risk_states cascade`.execute(db);
  const geometry = {
    type: 'Polygon',
    coordinates: [
      [
        [12, 46],
        [12.1, 46],
        [12.1, 46.1],
        [12, 46.1],
        [12, 46],
      ],
    ],
  };
  await sql`
    insert into aois (account_id, environment, id, name, geometry, bounds, area_m2)
    select ${accountId}, 'production', 'aoi_' || i, 'area', ${JSON.stringify(geometry)}::jsonb,
      box(point(12.1, 46.1), point(12, 46)), 86000000 from generate_series(1, ${count}::int) as i`.execute(
    db,
  );
  await sql`
    insert into risk_watches (account_id, environment, id, peril, threshold, aoi_id, risk_score, confidence, above,
      model_version, scored_as, scored_at)
    select ${accountId}, 'production', 'rw_' || md5(i::text), 'flood', 0.7, 'aoi_' || i, 0, 0.4, false,
      'flood-v0.3.0', 'before', now() from generate_series(1, ${count}::int) as i`.execute(db);
}

/** Updates every watch in one statement and emits no events: the lower bound for the time of any rescoring. */
export async function updateAll(db: Db): Promise<void> {
  await sql`update risk_watches set risk_score = 0.1, scored_as = 'floor', scored_at = now()`.execute(db);
}

/** Numbers of events, of watches with an event, and of deliveries. */
export async function countEvents(
  db: Db,
): Promise<{ readonly events: number; readonly distinct: number; readonly deliveries: number }> {
  const { rows } = await sql<{ events: number; distinct: number; deliveries: number }>`
    select (select count(*) from events)::int as events, (select count(*) from deliveries)::int as deliveries,
      (select count(distinct body::jsonb #>> '{data,watch_id}') from events)::int as "distinct"`.execute(db);
  return rows[0]!;
}

import { sql, type Kysely } from 'kysely';
import type { IncidentStore } from '../../app/incidents/incident-store.ts';
import type { Owner } from '../../app/owner.ts';
import type { Bbox } from '../../geo/bbox.ts';
import { turnedBoxes } from '../connection/bounds.ts';
import type { Database } from '../schema.ts';
import { ownedBy as of } from './owned-by.ts';

/**
 * Ids of the incidents with losses of vegetation that are large enough to explain anomalies of low greenness, or with
 * such anomalies that began while losses stood.
 */
export async function followed(
  db: Kysely<Database>,
  owner: Owner,
  { anomalies, losses, lossTypes }: Parameters<IncidentStore['followed']>[1],
): Promise<readonly string[]> {
  const ids: string[] = [];
  if (anomalies.length > 0) {
    const each = turned(anomalies);
    const { rows } = await sql<{ id: string }>`
      select distinct m.incident_id as id
      from unnest(${each.map(({ fromMs }) => fromMs)}::float8[], ${each.map(({ untilMs }) => untilMs)}::float8[],
        ${each.map(({ leastM2 }) => leastM2)}::float8[],
        ${each.map(({ boxText }) => boxText)}::text[]) as low (from_ms, until_ms, least_m2, box)
      join incident_members m on ${of(owner, 'm')} and m.kind = 'change' and m.area_m2 >= low.least_m2
        and m.what = any(${lossTypes}) and m.from_ms <= low.until_ms
        and coalesce(m.over_ms, m.to_ms) >= low.from_ms and m.ground && low.box::box
      where m.area_m2 >= ${Math.min(...each.map(({ leastM2 }) => leastM2))}`.execute(db);
    ids.push(...rows.map(({ id }) => id));
  }
  if (losses.length > 0) {
    const each = turned(losses);
    const { rows } = await sql<{ id: string }>`
      select distinct m.incident_id as id
      from unnest(${each.map(({ fromMs }) => fromMs)}::float8[], ${each.map(({ overMs }) => overMs)}::float8[],
        ${each.map(({ boxText }) => boxText)}::text[]) as lost (from_ms, over_ms, box)
      join incident_members m on ${of(owner, 'm')} and m.departure is not null
        and m.from_ms >= lost.from_ms and m.from_ms <= lost.over_ms and m.ground && lost.box::box
      where m.departure is not null
        and m.from_ms >= ${Math.min(...each.map(({ fromMs }) => fromMs))}`.execute(db);
    ids.push(...rows.map(({ id }) => id));
  }
  return ids;
}

/** Each item with its box as it is stored, twice where it crosses the antimeridian. */
function turned<T extends { readonly box: Bbox }>(
  items: readonly T[],
): readonly (T & { readonly boxText: string })[] {
  return items.flatMap((item) => turnedBoxes(item.box).map((boxText) => ({ ...item, boxText })));
}

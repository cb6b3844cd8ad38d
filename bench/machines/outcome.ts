import { type Kysely, sql } from 'kysely';
import { canonicalJson } from '../../src/base/canonical-json.ts';
import type { CubeStore } from '../../src/app/series/cube-store.ts';
import type { Database } from '../../src/store/schema.ts';

/** Everything that an installation has published, without random identifiers and times of writing. */
export interface Outcome {
  /** Key, time and digest of the samples of each scene, by collection. */
  readonly scenes: readonly string[];
  readonly changes: readonly string[];
  /** Each event once for each time that it is there. */
  readonly events: readonly string[];
  readonly incidents: readonly string[];
  /** Faults of cubes. */
  readonly damage: readonly string[];
}

/** Fields that are random or say when a row was written. */
const DROPPED = /^(id|url|images_url|aoi_ids|created_at|opened_at|updated_at|change_id|incident_id)$/;

export async function outcomeOf(db: Kysely<Database>, cube: CubeStore): Promise<Outcome> {
  const collections = (
    await sql<{ id: string; name: string }>`select id, name from collections order by name`.execute(db)
  ).rows;
  const scenes: string[] = [];
  const damage: string[] = [];
  for (const { id, name } of collections) {
    for (const { key, timeMs, sha256 } of await cube.scenes(id))
      scenes.push(`${name} ${key} ${timeMs} ${sha256}`);
    damage.push(...(await cube.check(id)).map((problem) => `${name}: ${problem}`));
  }
  const changes = await sql<{ told: string }>`
    select jsonb_build_array(collections.name, object_key, digest, type, status, confidence, area_m2,
      md5(changes.geometry::text), first_anomaly_at, detected_at, confirmed_at, recovered_at, told_as,
      (select count(*) from aoi_changes where change_id = changes.id))::text as told
    from changes join collections on collections.id = collection_id order by 1`.execute(db);
  const events = await sql<{ type: string; body: string; about: string | null }>`
    select type, body, (select collections.name || ' ' || object_key from changes join collections
      on collections.id = collection_id where changes.id = body::jsonb #>> '{data,id}') as about
    from events`.execute(db);
  const incidents = await sql<{ told: string }>`
    select jsonb_build_array(title, severity, status, kinds, started_at, ended_at, anomaly_count, change_count)::text
      as told from incidents order by 1`.execute(db);
  return {
    scenes,
    damage,
    changes: changes.rows.map(({ told }) => told),
    events: events.rows.map(({ type, body, about }) => eventOf(type, body, about)).toSorted(),
    incidents: incidents.rows.map(({ told }) => told),
  };
}

function eventOf(type: string, body: string, about: string | null): string {
  const { data } = JSON.parse(body) as { readonly data: Readonly<Record<string, unknown>> };
  const kept = Object.entries(data).filter(([name]) => !DROPPED.test(name));
  return canonicalJson({ event: type, about, ...Object.fromEntries(kept) });
}

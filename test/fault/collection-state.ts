import { hash } from 'node:crypto';
import { canonicalJson } from '../../src/base/canonical-json.ts';
import type { CubeStore } from '../../src/app/series/cube-store.ts';
import type { Collection } from '../../src/app/series/collection-store.ts';
import type { Backstage } from '../fixtures/service.ts';

/** Everything that an ingest stores, except random identifiers and the times when rows were written. */
export interface CollectionState {
  readonly scenes: readonly unknown[];
  /** A single SHA-256 digest of all samples of the cube. */
  readonly pixels: string;
  readonly damage: readonly string[];
  readonly changes: readonly unknown[];
  readonly events: readonly unknown[];
  readonly incidents: readonly unknown[];
}

/** Reads the stored state of a private collection, and the events of the account that owns it. */
export async function collectionState(
  { cube, storage, database }: Omit<Backstage, 'cube'> & { readonly cube: CubeStore },
  { id, accountId, environment, grid }: Collection,
): Promise<CollectionState> {
  const strip = await cube.readStrip(id, 0, grid.width * grid.height);
  const recorded = await storage.collections.scenes(id);
  const { rows: changes } = await database.pool.query(
    `select object_key, digest, type, status, confidence, area_m2, geometry, first_anomaly_at, detected_at,
       confirmed_at, recovered_at, model_version,
       (select count(*)::int from aoi_changes where change_id = changes.id) as areas
     from changes where collection_id = $1 order by object_key`,
    [id],
  );
  // The account also sees changes of other tests on the same ground.
  const { rows: incidents } = await database.pool.query<{ id: string }>(
    `select id, title, severity, status, kinds, started_at, ended_at, anomaly_count, change_count
     from incidents where account_id = $1 and environment = $2 and exists (
       select from incident_members m join changes on changes.id = m.id
       where m.incident_id = incidents.id and changes.collection_id = $3)
     order by started_at, title`,
    [accountId, environment, id],
  );
  const { rows: events } = await database.pool.query<{ type: string; body: string }>(
    `select type, body from events where account_id = $1 and environment = $2
       and (type not like 'incident.%' or body::jsonb #>> '{data,id}' = any($3))`,
    [accountId, environment, incidents.map((incident) => incident.id)],
  );
  return {
    scenes: [
      ...strip.scenes,
      ...recorded.map(({ key, href, observedAt, sha256, clearFraction }) => ({
        key,
        href,
        observedAt,
        sha256,
        clearFraction,
      })),
    ],
    pixels: hash('sha256', new Uint8Array(strip.values.buffer)),
    damage: await cube.check(id),
    changes,
    events: events.map(({ type, body }) => eventOf(type, body)).toSorted(),
    incidents: incidents.map(({ id: _id, ...incident }) => incident),
  };
}

function eventOf(type: string, body: string): string {
  const { data } = JSON.parse(body) as { readonly data: Readonly<Record<string, unknown>> };
  const { id: _id, url: _url, images_url: _images, aoi_ids: areas, ...dated } = data;
  const { created_at: _created, opened_at: _opened, updated_at: _updated, ...rest } = dated;
  return canonicalJson({ event: type, areas: (areas as readonly string[]).length, ...rest });
}

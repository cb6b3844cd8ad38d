import { sql, type Kysely } from 'kysely';
import type { Page, PageRequest } from '../../app/page.ts';
import type { Scene, SceneFilter } from '../../app/series/collection-store.ts';
import type { SceneReading } from '../../contract/sources/scene-reading.ts';
import { pageOf } from '../connection/page.ts';
import type { Database } from '../schema.ts';

/** Columns of a `Scene`. */
export const SCENE_COLUMNS = [
  'id',
  'key',
  'href',
  'observed_at as observedAt',
  'sha256',
  'clear_fraction as clearFraction',
  'reading',
  'colour_of as colourOf',
] as const;

/** A row of these columns as a record. */
export function sceneOf<T extends { readonly reading: unknown; readonly colourOf: string | null }>({
  reading,
  colourOf,
  ...scene
}: T): Omit<T, 'reading' | 'colourOf'> & Pick<Scene, 'reading' | 'colourOf'> {
  return {
    ...scene,
    ...(reading !== null && { reading: reading as SceneReading }),
    ...(colourOf !== null && { colourOf }),
  };
}

/** Lists the scenes of some collections, newest first. Reads at most a page and one of each collection. */
export async function scenesOf(
  db: Kysely<Database>,
  collectionIds: readonly string[],
  { ids, fromMs, toMs }: SceneFilter,
  page: PageRequest,
): Promise<Page<Scene & { readonly collectionId: string }>> {
  if (collectionIds.length === 0) return { items: [], next: undefined };
  const [moment, id] = page.after ?? [];
  const asked = [
    sql<boolean>`true`,
    ...(ids === undefined ? [] : [sql<boolean>`scenes.id = any(${ids})`]),
    ...(fromMs === undefined ? [] : [sql<boolean>`observed_at >= ${dateOf(fromMs)}`]),
    ...(toMs === undefined ? [] : [sql<boolean>`observed_at <= ${dateOf(toMs)}`]),
    ...(moment === undefined
      ? []
      : [sql<boolean>`(observed_at, scenes.id) < (${moment}::timestamptz, ${id})`]),
  ];
  const inOrder = sql`order by observed_at desc, id desc limit ${page.limit + 1}`;
  const columns = sql`collection_id as "collectionId", id, key, href, observed_at as "observedAt", sha256,
    clear_fraction as "clearFraction", reading, colour_of as "colourOf", observed_at`;
  const conditions = sql.join(asked, sql` and `);
  const { rows } = await (
    ids === undefined
      ? sql<Row>`select listed.* from unnest(${collectionIds}::text[]) as of (id) cross join lateral (
          select ${columns} from scenes where collection_id = of.id and ${conditions} ${inOrder}
        ) listed ${inOrder}`
      : sql<Row>`select ${columns} from scenes
          where collection_id = any(${collectionIds}) and ${conditions} ${inOrder}`
  ).execute(db);
  const { items, next } = pageOf(rows, page, (row) => [row.observedAt.toISOString(), row.id]);
  return { items: items.map(({ observed_at: _same, ...row }) => sceneOf(row)), next };
}

type Row = Omit<Scene, 'reading' | 'colourOf'> & {
  readonly collectionId: string;
  readonly reading: unknown;
  readonly colourOf: string | null;
  readonly observed_at: Date;
};

/** Times that a query can hold: the years 1 to 9999. */
const FIRST_MS = Date.parse('0001-01-01');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');
const dateOf = (ms: number): Date => new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS));

import { sql, type Kysely } from 'kysely';

/**
 * Where the picture in true colour of a scene is: in the colour cube of this collection, under the key of the scene.
 * Null: it has none. The collection with the picture may be another metric of the same scenes, and be removed first.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table scenes
    add column colour_of text collate "C" references collections (id) on delete set null`.execute(db);
  await sql`create index scenes_of_colours on scenes (colour_of, key) where colour_of is not null`.execute(
    db,
  );
  await sql`create index scenes_in_colour on scenes (collection_id) where colour_of is not null`.execute(db);
}

import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '../schema.ts';
import type { Sealing } from './sealing.ts';

/** Returns the key of 32 bytes that has a name in `sealed_secrets`. Makes the key at first use. */
export async function sealedKey(db: Kysely<Database>, sealing: Sealing, name: string): Promise<Buffer> {
  const find = () =>
    db.selectFrom('sealed_secrets').select('box').where('name', '=', name).executeTakeFirst();
  let found = await find();
  if (found === undefined) {
    await db
      .insertInto('sealed_secrets')
      .values({ name, box: sealing.seal(randomBytes(32).toString('base64')) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    found = await find();
  }
  return Buffer.from(sealing.open(found!.box), 'base64');
}

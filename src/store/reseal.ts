import type { Kysely } from 'kysely';
import type { Database } from './schema.ts';
import type { Sealing } from './webhook-store.ts';

/** Opens every secret in the database and seals it anew, all or none. @returns how many there are */
export async function reseal(db: Kysely<Database>, sealing: Sealing): Promise<number> {
  const anew = (box: Buffer): Buffer => sealing.seal(sealing.open(box));
  return db.transaction().execute(async (handle) => {
    let count = 0;
    const webhooks = await handle.selectFrom('webhooks').select(['id', 'secrets']).forUpdate().execute();
    for (const { id, secrets } of webhooks) {
      count += secrets.length;
      const sealed = secrets.map((secret) => ({
        ...secret,
        box: anew(Buffer.from(secret.box, 'base64')).toString('base64'),
      }));
      await handle
        .updateTable('webhooks')
        .set({ secrets: JSON.stringify(sealed) })
        .where('id', '=', id)
        .execute();
    }
    const answers = await handle
      .selectFrom('idempotency_keys')
      .select(['account_id', 'environment', 'key', 'answer'])
      .where('answer', 'is not', null)
      .forUpdate()
      .execute();
    for (const { account_id, environment, key, answer } of answers) {
      count += 1;
      await handle
        .updateTable('idempotency_keys')
        .set({ answer: anew(answer!) })
        .where('account_id', '=', account_id)
        .where('environment', '=', environment)
        .where('key', '=', key)
        .execute();
    }
    const keys = await handle.selectFrom('signing_keys').select(['id', 'private_box']).forUpdate().execute();
    for (const { id, private_box } of keys) {
      count += 1;
      await handle
        .updateTable('signing_keys')
        .set({ private_box: anew(private_box) })
        .where('id', '=', id)
        .execute();
    }
    const secrets = await handle.selectFrom('sealed_secrets').selectAll().forUpdate().execute();
    for (const { name, box } of secrets) {
      count += 1;
      await handle
        .updateTable('sealed_secrets')
        .set({ box: anew(box) })
        .where('name', '=', name)
        .execute();
    }
    return count;
  });
}

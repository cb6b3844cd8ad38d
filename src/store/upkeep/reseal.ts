import { sql, type Kysely } from 'kysely';
import type { Database } from '../schema.ts';
import type { Sealing } from '../sealing/sealing.ts';

/**
 * Opens all secrets in the database and seals them again, in one transaction. Concurrent calls run one after the
 * other.
 * @param renewKey adds a new key, which seals all secrets from then on, and returns a function that removes the older
 * keys. That function is called when all secrets are sealed under the new key
 * @returns the number of secrets
 */
export async function reseal(
  db: Kysely<Database>,
  sealing: Sealing,
  renewKey?: () => Promise<() => Promise<void>>,
): Promise<number> {
  /** Lets only one process at a time renew a key. Otherwise it could remove a key with which another process seals. */
  const alone = <T>(work: (handle: Kysely<Database>) => Promise<T>): Promise<T> =>
    db.transaction().execute(async (handle) => {
      await sql`lock table sealed_secrets in share row exclusive mode`.execute(handle);
      return await work(handle);
    });
  let dropOlder: (() => Promise<void>) | undefined;
  const count = await alone(async (handle) => {
    dropOlder = await renewKey?.();
    return await resealAll(handle, sealing);
  });
  // Older keys are removed only after the commit. If the process is killed earlier, all keys in use are kept.
  if (dropOlder !== undefined) await alone(dropOlder);
  return count;
}

async function resealAll(handle: Kysely<Database>, sealing: Sealing): Promise<number> {
  const anew = (box: Buffer): Buffer => sealing.seal(sealing.open(box));
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
}

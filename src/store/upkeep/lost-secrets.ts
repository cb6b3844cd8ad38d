import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';
import { renewCodes } from '../audit/audit-seal.ts';
import type { Sealing } from '../sealing/sealing.ts';

/** Numbers of stored secrets. */
export interface SecretCount {
  readonly all: number;
  /** Number of secrets that no existing key can open. */
  readonly closed: number;
}

/** Effects of deleting or replacing the secrets that no existing key opens. */
export interface Forgotten {
  /** Number of webhooks that were disabled. Their owners must rotate the secret and enable the webhook again. */
  readonly webhooks: number;
  /** Number of signing keys that were deleted. Their access tokens are now invalid, so clients request new tokens. */
  readonly signingKeys: number;
  /** Whether the key of the audit log was lost. Earlier entries can then no longer be verified. */
  readonly auditChain: boolean;
}

const DISABLED_REASON = 'the service lost its secret: rotate the secret, then enable the endpoint';

/** Whether the database contains sealed secrets of the service. */
export async function hasSecrets(db: Kysely<Database>): Promise<boolean> {
  return (await db.selectFrom('sealed_secrets').select('name').limit(1).execute()).length > 0;
}

/** Whether the existing keys open all sealed secrets of the service itself. If not, most operations would fail. */
export async function opensSecrets(db: Kysely<Database>, sealing: Sealing): Promise<boolean> {
  const rows = await db.selectFrom('sealed_secrets').select('box').execute();
  return rows.every(({ box }) => opens(sealing, box));
}

/** Counts all sealed secrets, and those that no existing key opens. */
export async function countSecrets(db: Kysely<Database>, sealing: Sealing): Promise<SecretCount> {
  const webhooks = await db.selectFrom('webhooks').select('secrets').execute();
  const signing = await db.selectFrom('signing_keys').select('private_box as box').execute();
  const named = await db.selectFrom('sealed_secrets').select('box').execute();
  const boxes = [
    ...webhooks.flatMap(({ secrets }) => secrets.map(({ box }) => Buffer.from(box, 'base64'))),
    ...[...signing, ...named].map(({ box }) => box),
  ];
  return { all: boxes.length, closed: boxes.filter((box) => !opens(sealing, box)).length };
}

/**
 * Deletes all sealed secrets that no existing key opens, in one transaction, so that an installation whose key is lost
 * works again. A webhook that loses its secret gets a random secret that its owner does not know, and is disabled. The
 * owner must rotate the secret and enable the webhook again.
 * @param newSecret makes a webhook secret
 */
export function forgetSecrets(
  db: Kysely<Database>,
  sealing: Sealing,
  newSecret: () => string,
): Promise<Forgotten> {
  return db.transaction().execute(async (handle) => {
    await sql`lock table sealed_secrets in share row exclusive mode`.execute(handle);
    let lost = 0;
    for (const { id, secrets } of await handle
      .selectFrom('webhooks')
      .select(['id', 'secrets'])
      .orderBy('id')
      .forUpdate()
      .execute()) {
      const kept = secrets.filter(({ box }) => opens(sealing, Buffer.from(box, 'base64')));
      if (kept.length === secrets.length) continue;
      lost++;
      const unknown = { box: sealing.seal(newSecret()).toString('base64'), until: null };
      await handle
        .updateTable('webhooks')
        .set({
          secrets: JSON.stringify([unknown, ...kept.filter(({ until }) => until !== null)]),
          status: 'disabled',
          disabled_reason: DISABLED_REASON,
        })
        .where('id', '=', id)
        .execute();
    }
    for (const { account_id, environment, key, answer } of await handle
      .selectFrom('idempotency_keys')
      .select(['account_id', 'environment', 'key', 'answer'])
      .where('answer', 'is not', null)
      .execute())
      if (!opens(sealing, answer!))
        await handle
          .deleteFrom('idempotency_keys')
          .where('account_id', '=', account_id)
          .where('environment', '=', environment)
          .where('key', '=', key)
          .execute();
    let signingKeys = 0;
    for (const { id, private_box } of await handle
      .selectFrom('signing_keys')
      .select(['id', 'private_box'])
      .execute()) {
      if (opens(sealing, private_box)) continue;
      signingKeys++;
      await handle.deleteFrom('signing_keys').where('id', '=', id).execute();
    }
    let auditChain = false;
    for (const { name, box } of await handle.selectFrom('sealed_secrets').selectAll().execute()) {
      if (opens(sealing, box)) continue;
      auditChain = true;
      await handle.deleteFrom('sealed_secrets').where('name', '=', name).execute();
    }
    if (auditChain) await renewCodes(handle, sealing);
    return { webhooks: lost, signingKeys, auditChain };
  });
}

function opens(sealing: Sealing, box: Buffer): boolean {
  try {
    sealing.open(box);
    return true;
  } catch {
    return false;
  }
}

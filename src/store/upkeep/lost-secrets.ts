import { type Kysely, sql } from 'kysely';
import type { Database } from '../schema.ts';
import type { Sealing } from '../webhook-store.ts';

/** Secrets at rest, by whether the keys there are open them. */
export interface SecretCount {
  readonly all: number;
  readonly closed: number;
}

/** What was dropped or replaced because no key opens it. */
export interface Forgotten {
  /** Disabled: their owners must rotate the secret, then enable them again. */
  readonly webhooks: number;
  /** Access tokens that they signed are void; clients take new ones. */
  readonly signingKeys: number;
  /** The audit log before this can no longer be proved. */
  readonly auditChain: boolean;
}

const DISABLED_REASON = 'the service lost its secret: rotate the secret, then enable the endpoint';

/** Whether something is sealed in the database. */
export async function hasSecrets(db: Kysely<Database>): Promise<boolean> {
  return (await db.selectFrom('sealed_secrets').select('name').limit(1).execute()).length > 0;
}

/** Whether the keys there are open what the service itself keeps sealed: else hardly anything would work. */
export async function opensSecrets(db: Kysely<Database>, sealing: Sealing): Promise<boolean> {
  const rows = await db.selectFrom('sealed_secrets').select('box').execute();
  return rows.every(({ box }) => opens(sealing, box));
}

/** How many secrets there are at rest, and how many of them do not open. */
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
 * Drops what the keys there are do not open, all or none, so that an installation whose key is lost works again.
 * A webhook that loses its secret gets one that nobody knows, and is disabled until its owner has rotated it.
 * @param newSecret makes the secret of a webhook
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

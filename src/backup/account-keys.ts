import { createHash, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { openBytes, sealBytes, SEALING_KEY_BYTES } from '../base/sealed-bytes.ts';
import { SCHEMA } from '../store/connection/database.ts';
import type { Sealing } from '../store/sealing/sealing.ts';

/** Name of the key of backups in `sealed_secrets`. */
const BACKUP_KEY = 'backup-key';

/**
 * The key of backups, under which the keys of accounts are kept. It is sealed under the installation's key, and every
 * archive has it so: an archive of any age then opens with the present key file.
 */
export interface BackupKey {
  /** Names the key in archives and key files. It tells nothing about the key. */
  readonly id: string;
  /** The key, sealed under the installation's key. */
  readonly box: Buffer;
  readonly key: Buffer;
}

/** Reads the key of backups, and makes it at first use. @throws Error when the installation's key does not open it */
export async function backupKey(pool: Pool, sealing: Sealing): Promise<BackupKey> {
  await pool.query(
    `insert into ${SCHEMA}.sealed_secrets (name, box) values ($1, $2) on conflict (name) do nothing`,
    [BACKUP_KEY, sealing.seal(randomBytes(SEALING_KEY_BYTES).toString('base64'))],
  );
  const { rows } = await pool.query<{ box: Buffer }>(
    `select box from ${SCHEMA}.sealed_secrets where name = $1`,
    [BACKUP_KEY],
  );
  return openBackupKey(rows[0]!.box, sealing);
}

/** Opens the key of backups. @throws Error when the installation's key does not open it */
export function openBackupKey(box: Buffer, sealing: Pick<Sealing, 'open'>): BackupKey {
  const key = Buffer.from(sealing.open(box), 'base64');
  const id = createHash('sha256').update('groundwatch backup key\n').update(key).digest('hex').slice(0, 12);
  return { id, box, key };
}

/** Encrypts the key of an account under the key of backups. */
function wrapAccountKey({ key }: Pick<BackupKey, 'key'>, accountId: string, accountKey: Buffer): Buffer {
  return sealBytes(key, accountKey, accountId);
}

/** Decrypts the key of an account. @throws Error when it was encrypted under another key, or for another account */
export function unwrapAccountKey(
  { key }: Pick<BackupKey, 'key'>,
  accountId: string,
  wrapped: Buffer,
): Buffer {
  return openBytes(key, wrapped, accountId);
}

/**
 * Reads the keys of accounts, and makes those that are missing, or that a lost key of backups had encrypted.
 * @returns a key for each account; undefined for one that is being erased
 */
export async function accountKeys(
  pool: Pool,
  kept: BackupKey,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, Buffer | undefined>> {
  const fresh = (id: string): Buffer => wrapAccountKey(kept, id, randomBytes(SEALING_KEY_BYTES));
  const read = async (): Promise<Map<string, Buffer | null>> => {
    const { rows } = await pool.query<{ id: string; wrapped: Buffer | null }>(
      `select account_id as id, wrapped from ${SCHEMA}.account_keys where account_id = any($1)`,
      [accountIds],
    );
    return new Map(rows.map(({ id, wrapped }) => [id, wrapped]));
  };
  const before = await read();
  for (const id of accountIds) {
    const wrapped = before.get(id);
    if (wrapped === null || (wrapped !== undefined && opens(kept, id, wrapped))) continue;
    // Whoever else makes one at the same time: the first stays.
    await pool.query(
      `insert into ${SCHEMA}.account_keys as k (account_id, wrapped) values ($1, $2)
       on conflict (account_id) do update set wrapped = excluded.wrapped where k.wrapped = $3`,
      [id, fresh(id), wrapped ?? null],
    );
  }
  const after = await read();
  return new Map(
    accountIds.map((id) => {
      const wrapped = after.get(id) ?? undefined;
      return [id, wrapped && unwrapAccountKey(kept, id, wrapped)];
    }),
  );
}

function opens(kept: BackupKey, id: string, wrapped: Buffer): boolean {
  try {
    unwrapAccountKey(kept, id, wrapped);
    return true;
  } catch {
    return false;
  }
}

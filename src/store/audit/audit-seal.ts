import { createHmac } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { AuditRecord } from '../../app/access/audit-store.ts';
import type { Environment } from '../../app/owner.ts';
import { inTransaction } from '../connection/transaction.ts';
import type { Database } from '../schema.ts';
import type { AuditLogTable, AuditPendingTable } from '../tables/credential-tables.ts';
import { sealedKey } from '../sealing/sealed-key.ts';
import type { Sealing } from '../sealing/sealing.ts';

/** Whether entries are not in the chain yet, for the pulse. */
export const ENTRIES_WAIT = '(select true from audit_pending limit 1)';
/** Name of the key of the chain in `sealed_secrets`. */
const KEY_NAME = 'audit-chain';
/** Maximum number of entries that are added to the chain in one transaction, which then takes some 10 ms. */
const SEALED_AT_ONCE = 1_000;

/** Result of adding waiting entries to the chain. */
export interface Sealed {
  /** Number of entries that were added. */
  readonly added: number;
  /** Number of waiting entries that are not as they were recorded. They are left where they are. */
  readonly altered: number;
}

/**
 * Adds waiting entries to the chain of the audit log, oldest first, until none is left.
 *
 * An entry is first written to `audit_pending`, in the transaction of its cause and without a lock, so that writers do
 * not wait for each other. After the commit it is added to the chain. Only this locks the head of the chain. A code
 * over each waiting entry, under the key of the chain, shows whether it was altered meanwhile.
 * @param db a handle; one that is bound to an owner adds the entries of that owner only
 */
export async function sealEntries(db: Kysely<Database>, sealing: Sealing): Promise<Sealed> {
  for (let added = 0; ;) {
    if ((await db.selectFrom('audit_pending').select('id').limit(1).execute()).length === 0)
      return { added, altered: 0 };
    const part = await inTransaction(db, (transaction) => sealPart(transaction, sealing));
    added += part.added;
    if (part.added < SEALED_AT_ONCE) return { ...part, added };
  }
}

async function sealPart(db: Kysely<Database>, sealing: Sealing): Promise<Sealed> {
  const key = await chainKey(db, sealing);
  const head = await db
    .selectFrom('audit_head')
    .select(['seq', 'hash'])
    .forUpdate()
    .executeTakeFirstOrThrow();
  // A separate statement: its snapshot contains what the former holder of the lock has committed.
  const waiting = await db
    .selectFrom('audit_pending')
    .selectAll()
    .orderBy('at')
    .orderBy('place')
    .orderBy('id')
    .limit(SEALED_AT_ONCE)
    .execute();
  const sound = waiting.filter((row) => codeOf(key, row).equals(row.mac));
  let { seq, hash } = head;
  const rows = sound.map(({ id: _id, place: _place, mac: _mac, ...entry }) => {
    seq += 1;
    const row = { ...entry, seq };
    hash = chainHash(key, hash, row);
    return { ...row, hash };
  });
  if (rows.length > 0) {
    await db.insertInto('audit_log').values(rows).execute();
    await db
      .deleteFrom('audit_pending')
      .where(
        'id',
        'in',
        sound.map(({ id }) => id),
      )
      .execute();
    await db.updateTable('audit_head').set({ seq, hash }).execute();
  }
  return { added: rows.length, altered: waiting.length - sound.length };
}

/** Completes waiting entries with the code that shows whether they are altered. */
export function withCodes(
  key: Buffer,
  rows: readonly Omit<AuditPendingTable, 'mac'>[],
): readonly AuditPendingTable[] {
  return rows.map((row) => ({ ...row, mac: codeOf(key, row) }));
}

/** Makes new codes for all waiting entries, because the key of the former ones was lost. */
export async function renewCodes(db: Kysely<Database>, sealing: Sealing): Promise<void> {
  const key = await chainKey(db, sealing);
  for (const row of await db.selectFrom('audit_pending').selectAll().execute())
    await db
      .updateTable('audit_pending')
      .set({ mac: codeOf(key, row) })
      .where('id', '=', row.id)
      .execute();
}

function codeOf(key: Buffer, { id, place, ...entry }: Omit<AuditPendingTable, 'mac'>): Buffer {
  return createHmac('sha256', key)
    .update(`waiting ${id} ${place} `)
    .update(JSON.stringify(fieldsOf(entry)))
    .digest();
}

/** Computes the hash of an entry, which also depends on all entries before it. */
export function chainHash(key: Buffer, before: Buffer, row: Omit<Selectable<AuditLogTable>, 'hash'>): Buffer {
  return createHmac('sha256', key)
    .update(before)
    .update(JSON.stringify([row.seq, ...fieldsOf(row)]))
    .digest();
}

/** The fields of an entry in the order in which they are hashed. */
function fieldsOf(row: Omit<Selectable<AuditLogTable>, 'hash' | 'seq'>): readonly unknown[] {
  const { at, account_id, environment, actor, action, target, address, request_id, result, count } = row;
  return [
    at.toISOString(),
    account_id,
    environment,
    actor,
    action,
    target,
    address,
    request_id,
    result,
    count,
  ];
}

/** Converts a row of `audit_log`. */
export function auditRecordOf(row: Selectable<AuditLogTable>): AuditRecord {
  return {
    seq: row.seq,
    at: row.at,
    actor: row.actor,
    action: row.action,
    target: row.target,
    accountId: row.account_id,
    environment: row.environment as Environment | null,
    address: row.address,
    requestId: row.request_id,
    result: row.result,
    count: row.count,
    hash: row.hash,
  };
}

/** Returns the key of the chain. Makes the key at first use. */
export function chainKey(db: Kysely<Database>, sealing: Sealing): Promise<Buffer> {
  return sealedKey(db, sealing, KEY_NAME);
}

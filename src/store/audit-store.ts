import { createHmac, randomBytes } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { AuditRecord, AuditStore } from '../app/access/audit-store.ts';
import type { Environment, Owner } from '../app/owner.ts';
import type { Page, PageRequest } from '../app/page.ts';
import { pageOf } from './connection/page.ts';
import { inTransaction } from './connection/transaction.ts';
import type { Database } from './schema.ts';
import type { AuditLogTable } from './tables/credential-tables.ts';
import type { Sealing } from './webhook-store.ts';

const KEY_NAME = 'audit-chain'; // name of the chain's key in sealed_secrets
const READ_AT_ONCE = 2000; // number of entries that are read per query

/**
 * The audit log in the database: a hash chain under a key that is itself sealed in the database. Without the
 * installation's key, write access to the database is not enough to forge a valid chain.
 */
export function auditStore(db: Kysely<Database>, sealing: Sealing): AuditStore {
  return {
    async record(entries) {
      if (entries.length === 0) return;
      await inTransaction(db, async (transaction) => {
        const key = await chainKey(transaction, sealing);
        // The lock on the head makes nodes append one after the other, so that all entries form a single chain.
        const head = await transaction
          .selectFrom('audit_head')
          .select(['seq', 'hash'])
          .forUpdate()
          .executeTakeFirstOrThrow();
        let { seq, hash } = head;
        const at = new Date();
        const rows = entries.map((entry) => {
          seq += 1;
          hash = chainHash(key, hash, { ...entry, seq, at });
          return {
            seq,
            at,
            account_id: entry.accountId,
            environment: entry.environment,
            actor: entry.actor,
            action: entry.action,
            target: entry.target,
            address: entry.address,
            request_id: entry.requestId,
            result: entry.result,
            count: entry.count,
            hash,
          };
        });
        await transaction.insertInto('audit_log').values(rows).execute();
        await transaction.updateTable('audit_head').set({ seq, hash }).execute();
      });
    },
    ofOwner: (owner, page) => readOwn(db, owner, page),
    read: () => readEntries(db),
    verify: async (noted) => verifyChain(db, sealing, noted),
  };
}

/** Reads all entries in order, in batches. */
async function* readEntries(db: Kysely<Database>): AsyncGenerator<readonly AuditRecord[]> {
  for (let after = 0; ;) {
    const rows = await db
      .selectFrom('audit_log')
      .selectAll()
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(READ_AT_ONCE)
      .execute();
    if (rows.length === 0) return;
    after = rows.at(-1)!.seq;
    yield rows.map(recordOf);
  }
}

/** Reads a page of the entries of an account in one environment and in none, newest first. */
async function readOwn(
  db: Kysely<Database>,
  { accountId, environment }: Owner,
  page: PageRequest,
): Promise<Page<AuditRecord>> {
  const [before] = page.after ?? [];
  let query = db
    .selectFrom('audit_log')
    .selectAll()
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('environment', '=', environment), eb('environment', 'is', null)]));
  if (before !== undefined) query = query.where('seq', '<', Number(before));
  const rows = await query
    .orderBy('seq', 'desc')
    .limit(page.limit + 1)
    .execute();
  return pageOf(rows.map(recordOf), page, ({ seq }) => [String(seq)]);
}

function recordOf(row: Selectable<AuditLogTable>): AuditRecord {
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

/** Recomputes the chain and compares it with the log. @param noted number and hash of an entry that must be in it */
async function verifyChain(
  db: Kysely<Database>,
  sealing: Sealing,
  noted: Parameters<AuditStore['verify']>[0],
): ReturnType<AuditStore['verify']> {
  const head = await db.selectFrom('audit_head').select(['seq', 'hash']).executeTakeFirst();
  if (head === undefined) return { intact: false, seq: 0, reason: 'the head of the log is gone' };
  const key = await chainKey(db, sealing);
  let seq = 0;
  let hash: Buffer = Buffer.alloc(0);
  let seen = noted === undefined;
  for await (const records of readEntries(db)) {
    for (const record of records) {
      // Entries added after the head was read are not verified this time.
      if (record.seq > head.seq) break;
      seq += 1;
      if (record.seq !== seq) return { intact: false, seq, reason: 'the entry is missing' };
      hash = chainHash(key, hash, record);
      if (!hash.equals(record.hash))
        return { intact: false, seq, reason: 'the entry is not as it was recorded' };
      if (noted?.seq === seq) {
        if (noted.hash !== hash.toString('hex'))
          return { intact: false, seq, reason: 'the entry is not the one that was noted down' };
        seen = true;
      }
    }
  }
  if (seq !== head.seq || !hash.equals(head.hash))
    return { intact: false, seq: seq + 1, reason: 'the log ends before its head' };
  if (!seen) return { intact: false, seq: noted!.seq, reason: 'the entry that was noted down is not there' };
  return { intact: true, entries: seq, head: hash.toString('hex') };
}

/** Computes the hash of an entry, which also depends on all entries before it. */
function chainHash(key: Buffer, before: Buffer, record: Omit<AuditRecord, 'hash'>): Buffer {
  const { seq, at, accountId, environment, actor, action, target, address, requestId, result, count } =
    record;
  const first = [seq, at.toISOString(), accountId, environment, actor, action, target];
  return createHmac('sha256', key)
    .update(before)
    .update(JSON.stringify([...first, address, requestId, result, count]))
    .digest();
}

/** Returns the key of the chain. Makes the key at first use. */
async function chainKey(db: Kysely<Database>, sealing: Sealing): Promise<Buffer> {
  const find = () =>
    db.selectFrom('sealed_secrets').select('box').where('name', '=', KEY_NAME).executeTakeFirst();
  let found = await find();
  if (found === undefined) {
    await db
      .insertInto('sealed_secrets')
      .values({ name: KEY_NAME, box: sealing.seal(randomBytes(32).toString('base64')) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    found = await find();
  }
  return Buffer.from(sealing.open(found!.box), 'base64');
}

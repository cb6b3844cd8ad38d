import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { AuditRecord, AuditStore } from '../../app/access/audit-store.ts';
import type { Owner } from '../../app/owner.ts';
import type { Page, PageRequest } from '../../app/page.ts';
import { ERASED_ACTOR, erasedAccounts } from './erased-entries.ts';
import { auditRecordOf, chainHash, chainKey, sealEntries, withCodes } from './audit-seal.ts';
import { pageOf } from '../connection/page.ts';
import type { Database } from '../schema.ts';
import type { Sealing } from '../sealing/sealing.ts';

const READ_AT_ONCE = 2000; // number of entries that are read per query

/**
 * The audit log in the database: a hash chain under a key that is itself sealed in the database. Without the
 * installation's key, write access to the database is not enough to forge a valid chain.
 */
export function auditStore(db: Kysely<Database>, sealing: Sealing): AuditStore {
  return {
    async record(entries) {
      if (entries.length === 0) return;
      const at = new Date();
      const rows = entries.map((entry, place) => ({
        id: randomUUID(),
        at,
        place,
        account_id: entry.accountId,
        environment: entry.environment,
        actor: entry.actor,
        action: entry.action,
        target: entry.target,
        address: entry.address,
        request_id: entry.requestId,
        result: entry.result,
        count: entry.count,
      }));
      const coded = withCodes(await chainKey(db, sealing), rows);
      await db.insertInto('audit_pending').values(coded).execute();
      // In a transaction, sealing would lock the head of the chain until the transaction ends. A worker does it then.
      if (!db.isTransaction) await sealEntries(db, sealing);
    },
    async ofOwner(owner, page) {
      await sealEntries(db, sealing); // so that the account finds what it has just done
      return readOwn(db, owner, page);
    },
    read: () => readEntries(db, sealing),
    verify: async (noted) => verifyChain(db, sealing, noted),
  };
}

/** Reads all entries in order, in batches. */
async function* readEntries(db: Kysely<Database>, sealing: Sealing): AsyncGenerator<readonly AuditRecord[]> {
  await sealEntries(db, sealing);
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
    yield rows.map(auditRecordOf);
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
  return pageOf(rows.map(auditRecordOf), page, ({ seq }) => [String(seq)]);
}

/** Recomputes the chain and compares it with the log. @param noted number and hash of an entry that must be in it */
async function verifyChain(
  db: Kysely<Database>,
  sealing: Sealing,
  noted: Parameters<AuditStore['verify']>[0],
): ReturnType<AuditStore['verify']> {
  const { altered } = await sealEntries(db, sealing);
  const head = await db.selectFrom('audit_head').select(['seq', 'hash']).executeTakeFirst();
  if (head === undefined) return { intact: false, seq: 0, reason: 'the head of the log is gone' };
  const key = await chainKey(db, sealing);
  const erased = await erasedAccounts(db);
  let seq = 0;
  let hash: Buffer = Buffer.alloc(0);
  let seen = noted === undefined;
  for await (const records of readEntries(db, sealing)) {
    for (const record of records) {
      // Entries added after the head was read are not verified this time.
      if (record.seq > head.seq) break;
      seq += 1;
      if (record.seq !== seq) return { intact: false, seq, reason: 'the entry is missing' };
      // What an erased entry said is gone. Its hash still binds its place: the next entry's hash depends on it.
      const isErased = record.actor === ERASED_ACTOR && erased.has(record.accountId ?? '');
      hash = isErased ? record.hash : chainHash(key, hash, rowOf(record));
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
  if (altered > 0)
    return {
      intact: false,
      seq: seq + 1,
      reason: 'an entry that waits to be added is not as it was recorded',
    };
  if (!seen) return { intact: false, seq: noted!.seq, reason: 'the entry that was noted down is not there' };
  return { intact: true, entries: seq, head: hash.toString('hex') };
}

/** The row of an entry, without its hash. */
function rowOf({ accountId, requestId, hash: _hash, ...record }: AuditRecord) {
  return { ...record, account_id: accountId, request_id: requestId };
}

import { createHmac } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import type { MailStore } from '../../app/webhooks/mail-store.ts';
import { MAILS_A_DAY } from '../../contract/limits.ts';
import type { Database } from '../schema.ts';
import { sealedKey } from '../sealing/sealed-key.ts';
import type { Sealing } from '../sealing/sealing.ts';

/** Name of the key of the hashes in `sealed_secrets`. */
const KEY_NAME = 'mail-addresses';

/**
 * One mailbox often has many addresses: what follows a plus sign is the recipient's choice (RFC 5233), and letter case
 * seldom matters.
 */
function mailboxOf(address: string): string {
  const [local, domain] = address.toLowerCase().split('@') as [string, string];
  return `${local.replace(/\+.*$/, '')}@${domain}`;
}

/** Keyed hashes of names, by which mails are counted. */
async function hashesOf(
  db: Kysely<Database>,
  sealing: Sealing,
  names: readonly string[],
): Promise<readonly Buffer[]> {
  const key = await sealedKey(db, sealing, KEY_NAME);
  return names.map((name) => createHmac('sha256', key).update(name).digest());
}

/** Notes that the recipient of an address wants no requests to confirm it. */
export async function refuseRequests(db: Kysely<Database>, sealing: Sealing, address: string): Promise<void> {
  const [hash] = await hashesOf(db, sealing, [`address ${mailboxOf(address)}`]);
  await db
    .insertInto('mail_refusals')
    .values({ hash: hash!, refused_at: new Date() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Counts a mail. @returns why it may not be sent; undefined when it may */
export async function countMail(
  db: Kysely<Database>,
  sealing: Sealing,
  { accountId, address, isConfirmation }: Parameters<MailStore['take']>[0],
): ReturnType<MailStore['take']> {
  const of = isConfirmation ? 'confirmations' : 'mails';
  const mailbox = `address ${mailboxOf(address)}`;
  const [refused, ...counted] = await hashesOf(db, sealing, [
    mailbox,
    `${of} ${mailbox}`,
    `${of} account ${accountId}`,
  ]);
  const { rows } = await sql<{ refused: boolean; counts: number[] }>`
        with counted as (
          insert into mail_counts (hash, day, count)
          select hash, (now() at time zone 'utc')::date, 1 from unnest(${counted}::bytea[]) as given (hash)
          order by hash
          on conflict (hash, day) do update set count = mail_counts.count + 1
          returning hash, count
        )
        select exists (select from mail_refusals where hash = ${refused!}) as refused,
          array(select coalesce(counted.count, 0)
            from unnest(${counted}::bytea[]) with ordinality as given (hash, place)
            left join counted using (hash) order by place) as counts`.execute(db);
  const [{ refused: isRefused, counts }] = rows as [(typeof rows)[number]];
  // Others may still send what the recipient confirmed to them.
  if (isRefused && isConfirmation) return 'refused';
  const { ofAddress, ofAccount } = MAILS_A_DAY[of];
  return counts[0]! > ofAddress || counts[1]! > ofAccount ? 'bound' : undefined;
}

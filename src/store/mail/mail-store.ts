import { sql, type Kysely, type Selectable } from 'kysely';
import type { LinkedEndpoint, MailStore } from '../../app/webhooks/mail-store.ts';
import { inTransaction } from '../connection/transaction.ts';
import type { Database, WebhooksTable } from '../schema.ts';
import type { Sealing } from '../sealing/sealing.ts';
import { countMail, refuseRequests } from './mail-bounds.ts';
import { linkHash, openMailBox, sealMailBox } from './mail-box.ts';

/** Reason that the owner of an endpoint sees after its recipient ended the mails. */
const STOPPED = 'the recipient ended the mails';

/** Links of mails and bounds on mails in the database. */
export function mailStore(db: Kysely<Database>, sealing: Sealing): MailStore {
  return {
    confirm: (secret) =>
      inTransaction(db, async (transaction) => {
        const row = await transaction
          .selectFrom('webhooks')
          .selectAll()
          .where('confirm_hash', '=', linkHash(secret))
          .where('confirm_until', '>', sql<Date>`now()`)
          .forUpdate()
          .executeTakeFirst();
        const box = row && openMailBox(sealing, row.secrets);
        if (box === undefined) return undefined;
        const { confirm: _, ...confirmed } = box;
        await transaction
          .updateTable('webhooks')
          .set({
            confirm_hash: null,
            confirm_until: null,
            confirmed_at: sql<Date>`now()`,
            secrets: sealMailBox(sealing, confirmed),
            ...(row!.status === 'unconfirmed' && { status: 'active' }),
          })
          .where('id', '=', row!.id)
          .execute();
        return endpointOf(row!);
      }),
    stop: (secret) =>
      inTransaction(db, async (transaction) => {
        const row = await transaction
          .selectFrom('webhooks')
          .selectAll()
          .where('stop_hash', '=', linkHash(secret))
          .forUpdate()
          .executeTakeFirst();
        if (row === undefined) return undefined;
        const box = openMailBox(sealing, row.secrets);
        // Also when its owner disabled it meanwhile.
        if (row.confirm_hash !== null && box !== undefined)
          await refuseRequests(transaction, sealing, box.address);
        await transaction
          .updateTable('webhooks')
          .set({
            status: 'disabled',
            disabled_reason: STOPPED,
            confirm_hash: null,
            confirm_until: null,
            confirmed_at: null,
          })
          .where('id', '=', row.id)
          .execute();
        await transaction
          .updateTable('deliveries')
          .set({ status: 'dead', lease: null, leased_until: null })
          .where('webhook_id', '=', row.id)
          .where('status', '=', 'pending')
          .execute();
        return endpointOf(row);
      }),
    take: (mail) => countMail(db, sealing, mail),
  };
}

function endpointOf(row: Selectable<WebhooksTable>): LinkedEndpoint {
  return { accountId: row.account_id, environment: row.environment, id: row.id };
}

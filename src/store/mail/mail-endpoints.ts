import type { Kysely } from 'kysely';
import type { LinkedEndpoint } from '../../app/webhooks/mail-store.ts';
import type { LinkSecrets, WebhookStore } from '../../app/webhooks/webhook-store.ts';
import type { Database } from '../schema.ts';
import type { Sealing } from '../sealing/sealing.ts';
import { linkHash, openMailBox, sealMailBox } from './mail-box.ts';

/** What stands in the column `url` for an e-mail address, which is sealed. */
const MAIL_URL = 'mailto:';

/** Adds an e-mail address that is not confirmed. */
export async function createMail(
  db: Kysely<Database>,
  sealing: Sealing,
  { accountId, environment, id, events, address }: Parameters<WebhookStore['createMail']>[0],
  { confirm, confirmUntil, stop }: LinkSecrets,
): Promise<void> {
  await db
    .insertInto('webhooks')
    .values({
      account_id: accountId,
      environment,
      id,
      kind: 'mail',
      url: MAIL_URL,
      events: [...events],
      secrets: sealMailBox(sealing, { address, stop, confirm }),
      status: 'unconfirmed',
      confirm_hash: linkHash(confirm),
      confirm_until: confirmUntil,
      stop_hash: linkHash(stop),
    })
    .execute();
}

/** Gives an address that is not confirmed another link. Returns false when there is none to confirm. */
export async function renewConfirmation(
  db: Kysely<Database>,
  sealing: Sealing,
  { accountId, environment, id }: LinkedEndpoint,
  { confirm, confirmUntil }: Pick<LinkSecrets, 'confirm' | 'confirmUntil'>,
): Promise<boolean> {
  const row = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('environment', '=', environment)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  const box = row?.kind === 'mail' ? openMailBox(sealing, row.secrets) : undefined;
  if (row === undefined || box === undefined || row.confirmed_at !== null) return false;
  await db
    .updateTable('webhooks')
    .set({
      secrets: sealMailBox(sealing, { ...box, confirm }),
      confirm_hash: linkHash(confirm),
      confirm_until: confirmUntil,
    })
    .where('id', '=', id)
    .execute();
  return true;
}

import { sql, type Kysely, type Selectable } from 'kysely';
import { InvalidInput } from '../base/errors.ts';
import type { Owner } from '../app/owner.ts';
import type { WebhookRecord, WebhookStatus, WebhookStore } from '../app/webhooks/webhook-store.ts';
import { retryDeadlocks } from './connection/deadlock.ts';
import { newestFirst } from './connection/page.ts';
import { openMailBox } from './mail/mail-box.ts';
import { createMail, renewConfirmation } from './mail/mail-endpoints.ts';
import type { Database, WebhooksTable } from './schema.ts';
import type { Sealing } from './sealing/sealing.ts';

/** Maximum number of secrets of an endpoint that sign at the same time. More would only lengthen the headers. */
const MAX_SECRETS = 4;

/** Status of an endpoint that is enabled. */
const ENABLED = sql<string>`case when kind = 'mail' and confirmed_at is null then 'unconfirmed' else 'active' end`;

function webhookOf(row: Selectable<WebhooksTable>, sealing: Sealing): WebhookRecord {
  const isMail = row.kind === 'mail';
  const email = isMail ? (openMailBox(sealing, row.secrets)?.address ?? '') : null;
  // A release before may have enabled an address that is not confirmed.
  const isOpen = isMail && row.status === 'active' && row.confirmed_at === null;
  return {
    id: row.id,
    accountId: row.account_id,
    environment: row.environment,
    url: email === null ? row.url : `mailto:${email}`,
    email,
    events: row.events,
    status: isOpen ? 'unconfirmed' : (row.status as WebhookStatus),
    disabledReason: row.disabled_reason,
    createdAt: row.created_at,
  };
}

/**
 * Returns the secrets of an endpoint that have not expired. Each then expires at `until`, or at its own expiry time
 * if that is earlier.
 * @throws InvalidInput for too many secrets
 */
function secretsUntil({ id, secrets }: Selectable<WebhooksTable>, until: Date) {
  const now = Date.now();
  const previous = secrets
    .map(({ box, until: end }) => ({
      box,
      until: new Date(Math.min(end === null ? Infinity : Date.parse(end), until.getTime())).toISOString(),
    }))
    .filter((kept) => Date.parse(kept.until) > now);
  // A rotation is refused rather than dropping a secret early, since a receiver may not have a newer secret yet.
  if (previous.length >= MAX_SECRETS)
    throw new InvalidInput(
      `overlap_seconds: the webhook ${id} signs with ${MAX_SECRETS} secrets already, the first of which ends at ` +
        `${previous.map((kept) => kept.until).toSorted()[0]}; expected a rotation after that, or an overlap of 0, which ends all of them now`,
      { param: 'overlap_seconds' },
    );
  return previous;
}

/** Webhook endpoints in the database. Their secrets are sealed. */
export function webhookStore(db: Kysely<Database>, sealing: Sealing): WebhookStore {
  const owned = (owner: Owner) =>
    db
      .selectFrom('webhooks')
      .selectAll()
      .where('account_id', '=', owner.accountId)
      .where('environment', '=', owner.environment);
  return {
    async create(webhook, secret) {
      await db
        .insertInto('webhooks')
        .values({
          account_id: webhook.accountId,
          environment: webhook.environment,
          id: webhook.id,
          url: webhook.url,
          events: [...webhook.events],
          secrets: JSON.stringify([{ box: sealing.seal(secret).toString('base64'), until: null }]),
          status: webhook.status,
        })
        .execute();
    },
    createMail: (endpoint, links) => createMail(db, sealing, endpoint, links),
    renewConfirmation: (owner, id, link) => renewConfirmation(db, sealing, { ...owner, id }, link),
    async find(owner, id) {
      const row = await owned(owner).where('id', '=', id).executeTakeFirst();
      return row && webhookOf(row, sealing);
    },
    list: (owner, page) => newestFirst(owned(owner), 'id', page, (row) => webhookOf(row, sealing)),
    async update(owner, id, patch) {
      const row = await db
        .updateTable('webhooks')
        .set({
          ...(patch.url !== undefined && { url: patch.url }),
          ...(patch.events !== undefined && { events: [...patch.events] }),
          // An endpoint that is enabled again or gets another URL starts without a recorded failure.
          ...((patch.status === 'active' || patch.url !== undefined) && { failing_since: null }),
          ...(patch.status === 'active' && { status: ENABLED, disabled_reason: null }),
          ...(patch.status === 'disabled' && {
            status: 'disabled',
            disabled_reason: 'disabled by its owner',
          }),
        })
        .where('account_id', '=', owner.accountId)
        .where('environment', '=', owner.environment)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      return row && webhookOf(row, sealing);
    },
    async remove(owner, id) {
      const remove = () =>
        db
          .deleteFrom('webhooks')
          .where('account_id', '=', owner.accountId)
          .where('environment', '=', owner.environment)
          .where('id', '=', id)
          .executeTakeFirst();
      // This also deletes the endpoint's deliveries. The worker locks rows in another order, so a deadlock is possible.
      const removed = await (db.isTransaction ? remove() : retryDeadlocks(remove));
      return removed.numDeletedRows > 0n;
    },
    async rotate(owner, id, secret, until) {
      const row = await owned(owner).where('id', '=', id).forUpdate().executeTakeFirst();
      if (row === undefined) return false;
      const previous = secretsUntil(row, until);
      const secrets = [{ box: sealing.seal(secret).toString('base64'), until: null }, ...previous];
      await db
        .updateTable('webhooks')
        .set({ secrets: JSON.stringify(secrets) })
        .where('id', '=', id)
        .execute();
      return true;
    },
  };
}

import type { Kysely, Selectable } from 'kysely';
import { InvalidInput } from '../base/errors.ts';
import type { Owner } from '../app/owner.ts';
import type { WebhookRecord, WebhookStore } from '../app/webhooks/webhook-store.ts';
import { retryDeadlocks } from './connection/deadlock.ts';
import { newestFirst } from './connection/page.ts';
import type { Database, WebhooksTable } from './schema.ts';

/** Maximum number of secrets of an endpoint that sign at the same time. More would only lengthen the headers. */
const MAX_SECRETS = 4;

/** Encrypts and decrypts secrets in the database. */
export interface Sealing {
  seal(plain: string): Buffer;
  open(box: Buffer): string;
}

function webhookOf(row: Selectable<WebhooksTable>): WebhookRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: row.environment,
    url: row.url,
    events: row.events,
    status: row.status as WebhookRecord['status'],
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
    async find(owner, id) {
      const row = await owned(owner).where('id', '=', id).executeTakeFirst();
      return row && webhookOf(row);
    },
    list: (owner, page) => newestFirst(owned(owner), 'id', page, webhookOf),
    async update(owner, id, patch) {
      const row = await db
        .updateTable('webhooks')
        .set({
          ...(patch.url !== undefined && { url: patch.url }),
          ...(patch.events !== undefined && { events: [...patch.events] }),
          // An endpoint that is enabled again or gets another URL starts without a recorded failure.
          ...((patch.status === 'active' || patch.url !== undefined) && { failing_since: null }),
          ...(patch.status === 'active' && { status: 'active', disabled_reason: null }),
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
      return row && webhookOf(row);
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

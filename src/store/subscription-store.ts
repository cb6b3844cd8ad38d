import { sql, type Kysely, type Selectable } from 'kysely';
import type { Peril } from '../contract/fields.ts';
import type { Digest } from '../contract/vocabulary.ts';
import type { SubscriptionStatus } from '../contract/subscriptions.ts';
import type { Subscription, SubscriptionStore } from '../app/anomalies/subscription-store.ts';
import type { Aoi } from '../app/areas/aoi-store.ts';
import type { QuietHours } from '../app/events/quiet-hours.ts';
import type { Environment, Owner } from '../app/owner.ts';
import type { Bbox } from '../geo/bbox.ts';
import { aoiOf } from './aoi-store.ts';
import { overlaps } from './connection/bounds.ts';
import { markArea } from './incidents/incident-marks.ts';
import { newestFirst } from './connection/page.ts';
import type { Database, SubscriptionsTable } from './schema.ts';

function subscriptionOf(row: Selectable<SubscriptionsTable>): Subscription {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: row.environment,
    aoiId: row.aoi_id,
    perils: row.perils as Peril[],
    status: row.status as SubscriptionStatus,
    quietHours: row.quiet_hours as QuietHours | null,
    digest: row.digest as Digest | null,
    past: row.past,
    createdAt: row.created_at,
  };
}

/** A digest is due from the start of the hour or day after the one before. */
const DIGEST_IS_DUE = `digest is not null and status = 'active'
  and digested_at < date_trunc(case digest when 'hourly' then 'hour' else 'day' end, now(), 'UTC')`;
const isDue = sql.raw<boolean>(DIGEST_IS_DUE);

/** Whether a digest is due, for the pulse. */
export const DIGESTS_WAIT = `(select true from subscriptions where ${DIGEST_IS_DUE} order by digested_at limit 1)`;

/**
 * Anomaly subscriptions in the database. A cancelled subscription is kept as a record.
 * Long function: one method per query.
 */
export function subscriptionStore(db: Kysely<Database>): SubscriptionStore {
  const owned = (owner: Owner) =>
    db
      .selectFrom('subscriptions')
      .selectAll()
      .where('account_id', '=', owner.accountId)
      .where('environment', '=', owner.environment);
  return {
    async create(subscription) {
      const row = await db
        .insertInto('subscriptions')
        .values({
          account_id: subscription.accountId,
          environment: subscription.environment,
          id: subscription.id,
          aoi_id: subscription.aoiId,
          perils: [...subscription.perils],
          status: subscription.status,
          past: subscription.past ?? false,
        })
        // If another open transaction has inserted the same subscription, this insert waits until that one ends. If
        // that one commits, this one inserts no row.
        // No key is named, since two say so beside release 1.3.0 (migration 0066).
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .executeTakeFirst();
      if (row !== undefined) await markArea(db, row.aoi_id);
      return row && subscriptionOf(row);
    },
    async findSame(owner, aoiId, perils) {
      const row = await owned(owner)
        .where('aoi_id', '=', aoiId)
        .where(sql<boolean>`perils = ${[...perils]}::text[]`)
        .where('status', '<>', 'cancelled')
        .executeTakeFirst();
      return row && subscriptionOf(row);
    },
    async find(owner, id) {
      const row = await owned(owner).where('id', '=', id).executeTakeFirst();
      return row && subscriptionOf(row);
    },
    list: (owner, page) => newestFirst(owned(owner), 'id', page, subscriptionOf),
    async setStatus(owner, id, status) {
      const row = await db
        .updateTable('subscriptions')
        .set({ status })
        .where('account_id', '=', owner.accountId)
        .where('environment', '=', owner.environment)
        .where('id', '=', id)
        .where('status', '<>', 'cancelled')
        .returningAll()
        .executeTakeFirst();
      if (row !== undefined && status === 'cancelled') await markArea(db, row.aoi_id);
      return row && subscriptionOf(row);
    },
    async setSending(owner, id, { quietHours, digest, past }) {
      const row = await db
        .updateTable('subscriptions')
        .set({
          ...(quietHours !== undefined && { quiet_hours: quietHours && JSON.stringify(quietHours) }),
          ...(digest !== undefined && { digest, digested_at: digest && new Date() }),
          ...(past !== undefined && { past }),
        })
        .where('account_id', '=', owner.accountId)
        .where('environment', '=', owner.environment)
        .where('id', '=', id)
        .where('status', '<>', 'cancelled')
        .returningAll()
        .executeTakeFirst();
      return row && subscriptionOf(row);
    },
    async withDueDigest(limit) {
      const rows = await db
        .selectFrom('subscriptions')
        .selectAll()
        .where(isDue)
        .orderBy('digested_at')
        .limit(limit)
        .execute();
      return rows.map(subscriptionOf);
    },
    async noteDigest(owner, id, at) {
      const row = await owned(owner).where('id', '=', id).where(isDue).forUpdate().executeTakeFirst();
      if (row === undefined) return undefined;
      await db.updateTable('subscriptions').set({ digested_at: at }).where('id', '=', id).execute();
      return row.digested_at!;
    },
    async activeOn(owner, aoiIds) {
      const rows = await owned(owner)
        .where('aoi_id', '=', sql<string>`any(${aoiIds})`)
        .where('status', '=', 'active')
        .execute();
      return rows.map(subscriptionOf);
    },
    activeOver: (environment, accountId, bounds) => activeOver(db, environment, accountId, bounds),
  };
}

/** Reads active subscriptions whose areas overlap bounds. @param accountId only those of this account; null for all */
async function activeOver(
  db: Kysely<Database>,
  environment: Environment,
  accountId: string | null,
  bounds: Bbox,
): Promise<readonly { readonly subscription: Subscription; readonly aoi: Aoi }[]> {
  let query = db
    .selectFrom('aois')
    .innerJoin('subscriptions', 'subscriptions.aoi_id', 'aois.id')
    .selectAll('aois')
    .select('subscriptions.id as subscription_id')
    .where('aois.environment', '=', environment)
    .where('aois.deleted_at', 'is', null)
    .where('subscriptions.status', '=', 'active')
    .where(overlaps('aois.bounds', bounds));
  if (accountId !== null) query = query.where('aois.account_id', '=', accountId);
  const rows = await query.orderBy('subscriptions.id').execute();
  if (rows.length === 0) return [];
  const subscriptions = await db
    .selectFrom('subscriptions')
    .selectAll()
    .where(
      'id',
      'in',
      rows.map((row) => row.subscription_id),
    )
    .execute();
  const byId = new Map(subscriptions.map((row) => [row.id, subscriptionOf(row)]));
  return rows.flatMap((row) => {
    const subscription = byId.get(row.subscription_id);
    return subscription ? [{ subscription, aoi: aoiOf(row) }] : [];
  });
}

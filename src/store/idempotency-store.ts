import type { Kysely } from 'kysely';
import { InvalidInput } from '../base/errors.ts';
import type { IdempotencyStore, KeptAnswer } from '../app/access/idempotency-store.ts';
import type { Database } from './schema.ts';
import type { Sealing } from './sealing/sealing.ts';
import { IDEMPOTENCY_HOURS } from '../contract/limits.ts';

/** Time for which a response is stored to answer repeated requests [ms]. */
export const IDEMPOTENCY_MS = IDEMPOTENCY_HOURS * 3_600_000;

/** Stored responses for repeated requests. They are sealed, since some contain a secret. */
export function idempotencyStore(db: Kysely<Database>, sealing: Sealing): IdempotencyStore {
  return {
    async claim(owner, key, operation, requestHash) {
      const oldest = new Date(Date.now() - IDEMPOTENCY_MS);
      const row = () =>
        db
          .selectFrom('idempotency_keys')
          .select(['operation', 'request_hash', 'answer'])
          .where('account_id', '=', owner.accountId)
          .where('environment', '=', owner.environment)
          .where('key', '=', key);
      await db
        .deleteFrom('idempotency_keys')
        .where('account_id', '=', owner.accountId)
        .where('environment', '=', owner.environment)
        .where('key', '=', key)
        .where('created_at', '<', oldest)
        .execute();
      // If another open transaction has inserted the same key, this insert waits until that transaction ends.
      const claimed = await db
        .insertInto('idempotency_keys')
        .values({
          account_id: owner.accountId,
          environment: owner.environment,
          key,
          operation,
          request_hash: requestHash,
          answer: null,
        })
        .onConflict((conflict) => conflict.columns(['account_id', 'environment', 'key']).doNothing())
        .returning('key')
        .executeTakeFirst();
      if (claimed !== undefined) return undefined;
      const kept = await row().executeTakeFirstOrThrow();
      if (kept.operation !== operation || !kept.request_hash.equals(requestHash))
        throw new InvalidInput(
          `Idempotency-Key: this key was used for another request, or by another credential, in the last ${IDEMPOTENCY_HOURS} hours`,
          {
            param: 'Idempotency-Key',
          },
        );
      return kept.answer === null ? undefined : (JSON.parse(sealing.open(kept.answer)) as KeptAnswer);
    },
    async keep(owner, key, answer) {
      await db
        .updateTable('idempotency_keys')
        .set({ answer: sealing.seal(JSON.stringify(answer)) })
        .where('account_id', '=', owner.accountId)
        .where('environment', '=', owner.environment)
        .where('key', '=', key)
        .execute();
    },
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Owner } from '../../src/app/owner.ts';
import type { Storage } from '../../src/app/storage.ts';
import { newId } from '../../src/base/ids.ts';
import { newWebhookSecret } from '../../src/webhooks/signature.ts';

const ACCOUNTS = 4;
const ENDPOINTS_EACH = 5; // endpoints of one account; all have the URL of the sink
const EMIT_AT_ONCE = 1_000; // events in one transaction

/** Log that drops its messages. */
export const SILENT = { info: () => undefined, warn: () => undefined };
/** Key with which the main process and the workers encrypt webhook secrets. */
export const SEALING_KEY = Buffer.alloc(32, 7);
/** Payload of a change event, about 1 kB. */
export const DATA = {
  id: 'chg_01k9q3v8gze7q8w1n5s0t4b6y1',
  type: 'vegetation_loss',
  confidence: 0.98,
  geometry: {
    type: 'Polygon',
    coordinates: [Array.from({ length: 24 }, (_, i) => [14.46 + i / 1e4, 46.04 - i / 1e4])],
  },
};

/** Creates accounts with endpoints at one URL. */
export async function createAccounts(
  storage: Storage,
  url: string,
  accounts = ACCOUNTS,
  endpointsEach = ENDPOINTS_EACH,
): Promise<readonly Owner[]> {
  const owners: Owner[] = [];
  for (let a = 0; a < accounts; a++) {
    const { id: accountId } = await storage.accounts.create(newId('account'));
    const owner = { accountId, environment: 'production' } as const;
    for (let e = 0; e < endpointsEach; e++)
      await storage.webhooks.create(
        { ...owner, id: newId('webhook'), url, events: ['change.detected'], status: 'active' },
        newWebhookSecret(),
      );
    owners.push(owner);
  }
  return owners;
}

/** Writes events until `deliveries` deliveries wait. Each event goes to all endpoints of its account. */
export async function fillBacklog(
  storage: Storage,
  owners: readonly Owner[],
  deliveries: number,
): Promise<void> {
  const events = Math.ceil(deliveries / ENDPOINTS_EACH);
  for (let made = 0; made < events; made += EMIT_AT_ONCE) {
    const batch = Array.from({ length: Math.min(EMIT_AT_ONCE, events - made) }, (_, i) => ({
      owner: owners[(made + i) % owners.length]!,
      type: 'change.detected' as const,
      data: DATA,
    }));
    await storage.transaction((stores) => stores.events.emitAll(batch));
  }
}

/** Waits until no delivery is pending. */
export async function backlogEmpty(pool: {
  query(text: string): Promise<{ rows: unknown[] }>;
}): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(`select 1 from deliveries where status = 'pending' limit 1`);
    if (rows.length === 0) return;
    await sleep(50);
  }
}

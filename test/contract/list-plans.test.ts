import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Kysely } from 'kysely';
import type { Owner } from '../../src/app/owner.ts';
import { secretBox } from '../../src/auth/secret-box.ts';
import { SUSPECTED_OMITTED_MAX } from '../../src/contract/limits.ts';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { ROWS_LOOKED_AT } from '../../src/store/connection/bounded-page.ts';
import { JobQueue } from '../../src/store/job-queue.ts';
import type { Database } from '../../src/store/schema.ts';
import { openStorage } from '../../src/store/storage.ts';
import { testDatabase, type TestDatabase } from '../fixtures/database.ts';
import { type Explained, explainedHandle, nodesOf, rowsRead } from '../fixtures/explained.ts';
import { fillAccount, LAST_PUBLISHED } from '../fixtures/large-account.ts';
import { principal, testApp, type TestApp } from '../fixtures/test-app.ts';

const ROWS = 100_000;
const LIMIT = 10;

describe('a page of any list costs the same in an account of a hundred thousand rows', () => {
  let database: TestDatabase;
  let handle: Kysely<Database>;
  let app: TestApp;
  let first: { readonly aoi: string; readonly webhook: string };
  let explained: Explained[] = [];
  before(async () => {
    database = await testDatabase();
    const jobs = new JobQueue(database.db, () => undefined);
    const sealing = secretBox(randomBytes(32));
    const { accounts } = openStorage(database, sealing, jobs);
    const { id: accountId } = await accounts.create('large');
    const { id: otherId } = await accounts.create('another');
    const owner: Owner = { accountId, environment: 'production' };
    await fillAccount(database.db, { ...owner, accountId: otherId }, ROWS / 10, '111111');
    first = await fillAccount(database.db, owner, ROWS);
    handle = await explainedHandle(database.url, owner, (one) => explained.push(one));
    const storage = openStorage({ db: handle, boundTo: () => handle }, sealing, jobs);
    app = await testApp({
      storage,
      authenticator: { authenticate: () => Promise.resolve(principal(owner)) },
    });
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
    await handle.destroy();
    await database.close();
  });

  /** Filters of each list besides none. Those of rare rows select the oldest, which a list comes to last. */
  const filters = (): Readonly<Record<string, readonly string[]>> => ({
    listAnomalies: [
      'since=2020-01-02',
      `published_since=${LAST_PUBLISHED}`,
      'published_since=2020-02-01',
      `since=2020-01-01&published_since=${LAST_PUBLISHED}`,
      'f=geojson',
    ],
    listChanges: [
      'status=all',
      'since=2020-01-02',
      `published_since=${LAST_PUBLISHED}`,
      `published_since=${LAST_PUBLISHED}&status=all`,
      'published_since=2020-02-01&status=all',
      'f=geojson',
    ],
    listDeliveries: ['status=dead', 'status=succeeded'],
    listEvents: ['order=desc', 'type=webhook.test', 'type=webhook.test&order=desc', 'type=change.suspected'],
    listStations: ['metric=temperature', 'bbox=-1,-90,1,90', 'bbox=-180,-90,180,90'],
  });
  /** Parameters that a list requires. */
  const required = (): Readonly<Record<string, string>> => ({
    listChanges: `aoi_id=${first.aoi}`,
    getHistorical: 'lat=0&lng=0&metric=temperature',
  });
  /**
   * Most rows that one node of a plan may read: a page and a bit. With a filter by place or by publication, a page of
   * one list may read `ROWS_LOOKED_AT` rows, of each of three collections. The count of omitted suspicions may read
   * twice the number that it can state.
   */
  const boundOf = (text: string): number =>
    /count\(\*\)::int/.test(text)
      ? 2 * SUSPECTED_OMITTED_MAX
      : /published_at >=|position <@/.test(text)
        ? 3 * ROWS_LOOKED_AT
        : 12 * (LIMIT + 1);

  for (const { id, method, path, query } of OPERATIONS) {
    if (method !== 'GET' || query === undefined || !('cursor' in query.properties)) continue;
    test(id, async () => {
      for (const filter of ['', ...(filters()[id] ?? [])]) {
        let cursor = '';
        for (let page = 0; page < 2; page++) {
          explained = [];
          const url = `${path.replace('{id}', first.webhook)}?limit=${LIMIT}&${required()[id] ?? ''}&${filter}${cursor}`;
          const answer = await app.call({
            method: 'GET',
            url: url.replaceAll(/&{2,}/g, '&').replace(/&$/, ''),
          });
          assert.equal(answer.status, 200, answer.text);
          assert.ok(explained.length > 0, `${url}: no query was seen`);
          for (const { text, plan } of explained) {
            const most = boundOf(text);
            for (const node of nodesOf(plan)) {
              const what = `${url}: ${node['Node Type']} of ${node['Relation Name'] ?? node['Index Name'] ?? 'rows'}`;
              assert.ok(
                rowsRead(node) <= most,
                `${what} reads ${rowsRead(node)} rows, at most ${most}:\n${text}`,
              );
              if (node['Node Type'] === 'Seq Scan') assert.ok(rowsRead(node) <= 20, `${what}:\n${text}`);
              // What is sorted is a set that was read within the bound.
              if (/Sort/.test(node['Node Type']))
                for (const { 'Actual Rows': rows, 'Actual Loops': loops } of node.Plans ?? [])
                  assert.ok(rows * loops <= most, `${what} sorts ${rows * loops} rows:\n${text}`);
            }
          }
          const { next_cursor: next } = answer.json() as { readonly next_cursor?: string };
          if (next === undefined) break;
          cursor = `&cursor=${next}`;
        }
      }
    });
  }
});

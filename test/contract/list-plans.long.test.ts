import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Kysely } from 'kysely';
import type { Owner } from '../../src/app/owner.ts';
import { secretBox } from '../../src/auth/secret-box.ts';
import { SUSPECTED_OMITTED_MAX } from '../../src/contract/limits.ts';
import { rowsLookedAt } from '../../src/store/connection/bounded-page.ts';
import { JobQueue } from '../../src/store/job-queue.ts';
import type { Database } from '../../src/store/schema.ts';
import { openStorage } from '../../src/store/storage.ts';
import { testDatabase, type TestDatabase } from '../fixtures/database.ts';
import { type Explained, explainedHandle, nodesOf, rowsRead } from '../fixtures/explained.ts';
import { fillAccount } from '../fixtures/large-account.ts';
import { listCalls } from '../fixtures/list-calls.ts';
import { principal, testApp, type TestApp } from '../fixtures/test-app.ts';

const ROWS = 28_000; // four fifths of them are suspicions: more than a count of those may read
const LIMIT = 10;

describe('a page of any list costs the same in an account of 28,000 rows', () => {
  let database: TestDatabase;
  let handle: Kysely<Database>;
  let app: TestApp;
  let first: Awaited<ReturnType<typeof fillAccount>>;
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
      authenticator: { authenticate: () => () => Promise.resolve(principal(owner)) },
    });
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
    await handle.destroy();
    await database.close();
  });

  /**
   * Most rows that one node of a plan may read: a page and a bit. With a filter by place, peril or publication, a page of
   * one list may read `rowsLookedAt` rows, of each of three collections. The count of omitted suspicions may read
   * twice the number that it can state.
   */
  const boundOf = (text: string): number =>
    /count\(\*\)::int/.test(text)
      ? 2 * SUSPECTED_OMITTED_MAX
      : /(published|updated)_at >=|position <@|bounds" && |bounds && |between|any \(perils\)|incident_areas|offset/.test(
            text,
          )
        ? 3 * rowsLookedAt(LIMIT)
        : 12 * (LIMIT + 1);

  /**
   * Most pages of the database that a query may read: with a filter by place or publication one a row. Of each row of a
   * box, the area and the link or subscription that show it are looked up by an index.
   */
  const pagesOf = (text: string, most: number): number =>
    16 * (LIMIT + 1) +
    (most > 12 * (LIMIT + 1)
      ? rowsLookedAt(LIMIT) * (text.includes('bounds && ') || text.includes('"bounds" && ') ? 8 : 1)
      : 0);

  const names = Map.groupBy(
    listCalls({ aoi: 'aoi', webhook: 'wh', collection: 'col' }, LIMIT),
    ({ id }) => id,
  );
  for (const id of names.keys())
    test(id, async () => {
      for (const { url } of listCalls(first, LIMIT).filter((call) => call.id === id)) {
        let cursor = '';
        for (let page = 0; page < 2; page++) {
          explained = [];
          const answer = await app.call({ method: 'GET', url: url + cursor });
          assert.equal(answer.status, 200, answer.text);
          assert.ok(explained.length > 0, `${url}: no query was seen`);
          for (const { text, plan } of explained) {
            const most = boundOf(text);
            const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
            assert.ok(pages <= pagesOf(text, most), `${url} reads ${pages} pages of the database:\n${text}`);
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
});

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import type { AuditEntry } from '../../app/access/audit-store.ts';
import type { Owner } from '../../app/owner.ts';
import { chainKey, sealEntries } from './audit-seal.ts';
import { forgetSecrets } from '../upkeep/lost-secrets.ts';
import { secretBox } from '../../auth/secret-box.ts';

const entry = (owner: Owner | null, action: string): AuditEntry => ({
  actor: 'test',
  action,
  target: null,
  accountId: owner?.accountId ?? null,
  environment: owner?.environment ?? null,
  address: null,
  requestId: null,
  result: 'done',
  count: 1,
});

describe('entries of the audit log are added to its chain after their cause is committed', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
    await world.storage.audit.record([entry(null, 'first')]);
  });
  after(() => world.close());

  const actions = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const some of world.storage.audit.read()) found.push(...some.map(({ action }) => action));
    return found;
  };

  test('an open transaction of one account does not delay the entries of others, nor the chain', async () => {
    const { storage, owner, others } = world;
    const other = others[1]!;
    let isOpen = true;
    const until = Promise.withResolvers<void>();
    const recorded = Promise.withResolvers<void>();
    const held = storage.boundTo(owner).transaction(async (stores) => {
      await stores.audit.record([entry(owner, 'held')]);
      recorded.resolve();
      await until.promise;
      isOpen = false;
    });
    await recorded.promise;
    // Before, all of these waited for the lock on the head of the chain.
    await storage.boundTo(other).transaction((stores) => stores.audit.record([entry(other, 'free')]));
    await storage.audit.record([entry(null, 'operator')]);
    assert.ok(isOpen);
    assert.deepEqual(await actions(), ['first', 'free', 'operator']);
    assert.ok((await storage.audit.verify()).intact);
    until.resolve();
    await held;
    assert.deepEqual((await actions()).slice(3), ['held']);
    assert.ok((await storage.audit.verify()).intact);
  });

  test('an entry whose cause is rolled back is not recorded', async () => {
    const { storage, owner } = world;
    const work = storage.boundTo(owner).transaction(async (stores) => {
      await stores.audit.record([entry(owner, 'undone')]);
      throw new Error('rolled back');
    });
    await assert.rejects(work, /rolled back/);
    assert.ok(!(await actions()).includes('undone'));
  });

  test('an account finds its own entries at once, and adds no others to the chain', async () => {
    const { storage, owner, others } = world;
    const bound = storage.boundTo(owner);
    const [mine, theirs] = [entry(owner, 'mine'), entry(others[1]!, 'theirs')];
    await bound.transaction((stores) => stores.audit.record([mine]));
    await storage.boundTo(others[1]!).transaction((stores) => stores.audit.record([theirs]));
    const { items } = await bound.audit.ofOwner(owner, { limit: 1, after: undefined });
    assert.deepEqual(
      items.map(({ action }) => action),
      ['mine'],
    );
    const waiting = await world.database.db.selectFrom('audit_pending').select('action').execute();
    assert.deepEqual(waiting, [{ action: 'theirs' }]);
    assert.equal((await actions()).at(-1), 'theirs');
    await assert.rejects(
      bound.transaction((stores) => stores.audit.record([theirs])),
      /row-level security/,
      'an account records for itself only',
    );
  });

  test('many writers and many sealers at once lose and repeat nothing', async () => {
    const { storage, owner, others, database, sealing } = world;
    const before = (await actions()).length;
    const owners = [owner, ...others];
    const write = async (i: number): Promise<void> => {
      const by = owners[i % owners.length]!;
      await storage
        .boundTo(by)
        .transaction((stores) => stores.audit.record([entry(by, `a ${i}`), entry(by, `b ${i}`)]));
      if (i % 5 === 0) await sealEntries(database.db, sealing);
    };
    // In rounds: an account has few connections, and waits for one for some seconds only.
    for (let round = 0; round < 5; round++)
      await Promise.all(Array.from({ length: 12 }, (_, i) => write(12 * round + i)));
    const added = (await actions()).slice(before);
    assert.equal(added.length, 120);
    assert.equal(new Set(added).size, 120);
    assert.ok((await storage.audit.verify()).intact);
  });

  test('the former release goes on with the same chain', async () => {
    const { storage, owner, database, sealing } = world;
    await storage
      .boundTo(owner)
      .transaction((stores) => stores.audit.record([entry(owner, 'before the former')]));
    // As release 1.3.0 appends an entry.
    const key = await chainKey(database.db, sealing);
    await database.db.transaction().execute(async (db) => {
      const head = await db.selectFrom('audit_head').selectAll().forUpdate().executeTakeFirstOrThrow();
      const at = new Date();
      const seq = head.seq + 1;
      const told = [seq, at.toISOString(), null, null, 'former', 'x', null, null, null, 'done', 1];
      const hash = createHmac('sha256', key).update(head.hash).update(JSON.stringify(told)).digest();
      const row = { seq, at, account_id: null, environment: null, actor: 'former', action: 'x' };
      await db
        .insertInto('audit_log')
        .values({ ...row, target: null, address: null, request_id: null, result: 'done', count: 1, hash })
        .execute();
      await db.updateTable('audit_head').set({ seq, hash }).execute();
    });
    assert.deepEqual((await actions()).slice(-2), ['x', 'before the former']);
    assert.ok((await storage.audit.verify()).intact);
  });

  test('an entry that is altered while it waits is found, and the others are added', async () => {
    const { storage, owner, database } = world;
    const bound = storage.boundTo(owner);
    await bound.transaction((stores) => stores.audit.record([entry(owner, 'true'), entry(owner, 'kept')]));
    const alter = (from: string, to: string) =>
      database.db.updateTable('audit_pending').set({ action: to }).where('action', '=', from).execute();
    await alter('true', 'false');
    const verdict = await storage.audit.verify();
    assert.ok(!verdict.intact);
    assert.match(verdict.reason, /waits to be added is not as it was recorded/);
    assert.equal((await actions()).at(-1), 'kept');
    await alter('false', 'true');
    assert.ok((await storage.audit.verify()).intact);
    assert.equal((await actions()).at(-1), 'true');
  });

  test('entries that wait when the key of the chain is lost are added under the new key', async () => {
    const { storage, owner, database } = world;
    await storage.boundTo(owner).transaction((stores) => stores.audit.record([entry(owner, 'waiting')]));
    const other = secretBox(Buffer.alloc(32, 7));
    assert.ok((await forgetSecrets(database.db, other, () => 'whsec_x')).auditChain);
    assert.deepEqual(await sealEntries(database.db, other), { added: 1, altered: 0 });
  });
});

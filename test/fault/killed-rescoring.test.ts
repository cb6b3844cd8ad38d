import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { sql } from 'kysely';
import { rescoreWatches, watchScope } from '../../src/app/watches/rescore-watches.ts';
import { floodedSnapshot } from '../fixtures/flooded-layers.ts';
import { testStorage } from '../fixtures/storage.ts';
import { testProcess } from '../fixtures/program.ts';

/** Number of kills. Full test: `GROUNDWATCH_TEST_KILLS=50 npm test -- test/fault/killed-rescoring.test.ts`. */
const KILLS = Number(process.env['GROUNDWATCH_TEST_KILLS'] ?? 2);
/** Number of watches; large enough that the nodes are killed before they finish. */
const WATCHES = 3000 * (KILLS + 1);
const NODE = testProcess('test/fault/rescoring-node.ts');

test('nodes killed half-way through a replaced layer lose no crossing and tell none twice', async () => {
  const world = await testStorage();
  try {
    const { db } = world.database;
    await sql`
      insert into risk_watches (account_id, environment, id, peril, threshold, lat, lng, risk_score, confidence, above,
        model_version, scored_as, scored_at)
      select ${world.owner.accountId}, 'production', 'rw_' || lpad(i::text, 26, '0'), 'flood', 0.7, 46, 14, 0, 0.4,
        false, 'flood-v0.3.0', 'before', now()
      from generate_series(1, ${WATCHES}::int) as i`.execute(db);
    let killed = 0;
    const node = async (killAfterBatches: number): Promise<void> => {
      const child = spawn(process.execPath, [NODE, world.database.url], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let told = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (told += text));
      let lines = 0;
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        lines += text.split('\n').length - 1;
        // The node is killed at a random time during its next batch.
        if (lines > killAfterBatches) setTimeout(() => child.kill('SIGKILL'), Math.random() * 40);
      });
      const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
      assert.ok(code === 0 || signal === 'SIGKILL', told);
      if (signal === 'SIGKILL') killed++;
    };
    for (let kill = 0; kill < KILLS; kill++) await node(1 + (kill % 2));
    assert.equal(killed, KILLS, 'every one was killed half-way');
    const snapshot = floodedSnapshot('deep', () => 2);
    const scope = watchScope('production', 'flood', snapshot);
    assert.deepEqual(await world.storage.watches.stale([scope]), [scope], 'and left something to do');
    // Two nodes continue the rescoring at the same time. One of them is killed, the other one finishes.
    await Promise.all([node(Infinity), node(1)]);
    await rescoreWatches({ clock: { now: () => Date.now() }, storage: world.storage }, scope, snapshot);
    const { rows } = await sql<{ events: number; watches: number; above: number }>`
      select (select count(*) from events)::int as events,
        (select count(distinct body::jsonb #>> '{data,watch_id}') from events)::int as watches,
        (select count(*) from risk_watches where above and scored_as = ${scope.state})::int as above`.execute(
      db,
    );
    assert.deepEqual(rows[0], { events: WATCHES, watches: WATCHES, above: WATCHES });
  } finally {
    await world.close();
  }
});

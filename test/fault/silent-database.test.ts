import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { dropDatabase, migratedDatabase } from '../fixtures/database.ts';
import { wayTo } from '../fixtures/database-way.ts';
import { startService } from '../fixtures/service.ts';

/** A stop without a database takes 8 s on quiet cores; one that waits for it never ends. */
const STOP_MS = 180_000;

for (const how of ['silence', 'close'] as const)
  test(`a node stops although its database is gone by ${how}`, async (t) => {
    const url = await migratedDatabase();
    const way = await wayTo(url);
    t.after(async () => {
      way.close();
      await dropDatabase(url);
    });
    const node = await startService({ DATABASE_URL: way.url, GROUNDWATCH_LOG_LEVEL: 'info' });
    t.after(async () => {
      if (isThere(node.pid)) process.kill(node.pid, 'SIGKILL');
      await node.stop();
    });
    assert.equal((await node.call('/readyz')).status, 200);
    way[how]();
    await sleep(2_000); // background work asks, and waits
    process.kill(node.pid, 'SIGTERM');
    const deadline = performance.now() + STOP_MS;
    while (isThere(node.pid)) {
      assert.ok(performance.now() < deadline, `the node runs: ${node.log()}`);
      await sleep(100);
    }
    assert.match(node.log(), /Stopping: SIGTERM/);
    if (how === 'silence')
      assert.match(node.log(), /The stop does not wait for the database: [^"]*does not answer in 5 s/);
  });

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

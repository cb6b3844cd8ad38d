/**
 * Process that takes in dates as an ingest node does. Run as `arrivals.ts SEED BLOCKS DATES HISTORY` with the settings
 * of an installation. A date of a block comes when the jobs of the one before are done, so that what is found does not
 * depend on the speed of the workers. It prints a line for each date and at last its processor time, and goes on after
 * errors. With `outcome` in place of SEED it prints what is published.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createAoi } from '../../src/app/areas/manage-aois.ts';
import { writeStack } from '../../src/app/imagery/write-stack.ts';
import { readConfig } from '../../src/config.ts';
import { openInstallation } from '../../src/main/installation.ts';
import { stderrLog } from '../../src/main/process-log.ts';
import { blockName, outlineOf, stackOf, timeOf } from './blocks.ts';
import { outcomeOf } from './outcome.ts';

const LOOK_MS = 100;
const AGAIN_MS = 500;
const ACCOUNT = 'bench';

const [word = '', blocks, dates, history] = process.argv.slice(2);
const installation = await openInstallation(readConfig(), stderrLog('error'));
const { deps, database } = installation;
if (word === 'outcome') console.log(JSON.stringify(await outcomeOf(database.db, deps.cube)));
else await takeIn(Number(word), Number(blocks), Number(dates), Number(history));
await installation.close();
const { user, system } = process.cpuUsage();
if (word !== 'outcome') console.log(`processor ${(user + system) / 1e6}`);
process.stdout.write('', () => process.exit()); // once all of it is read

async function takeIn(seed: number, blocks: number, dates: number, history: number): Promise<void> {
  const account =
    (await deps.storage.accounts.byName(ACCOUNT)) ?? (await deps.storage.accounts.create(ACCOUNT));
  const owner = { accountId: account.id, environment: 'production' } as const;
  for (let block = 0; block < blocks; block++)
    await deps.storage
      .boundTo(owner)
      .transaction((stores) =>
        createAoi(stores, owner, { name: blockName(block), geometry: outlineOf(block) }),
      );
  const next = Array.from({ length: blocks }, () => 0);
  const collections = new Map<number, string>();
  for (;;) {
    const idle = await insist(() => idleBlocks(collections, blocks));
    if (idle.length === blocks && next.every((each) => each === dates)) return;
    for (const block of idle.filter((each) => next[each]! < dates)) {
      const first = next[block]!;
      const last = first === 0 ? Math.max(history, 1) : first + 1;
      await insist(async () => {
        const bands = Array.from({ length: last - first }, (_, i) => first + i);
        const { collection, added } = await writeStack(
          deps,
          { collection: blockName(block), metric: 'ndvi', ...owner, valuesPath: `${blockName(block)}.tif` },
          stackOf(seed, block, bands),
          undefined,
          bands.map((date, i) => ({ band: i + 1, timeMs: timeOf(date), scene: `date-${date}` })),
          () => undefined,
        );
        collections.set(block, collection.id);
        await deps.storage.jobs.monitorCollection({ collectionId: collection.id });
        return added;
      });
      next[block] = last;
      console.log(`date ${block} ${last}`);
    }
    await sleep(LOOK_MS);
  }
}

/** Blocks without jobs, those of their areas included. @throws Error when a job was given up */
async function idleBlocks(
  collections: ReadonlyMap<number, string>,
  blocks: number,
): Promise<readonly number[]> {
  const { rows } = await sql<{ subject: string; state: string; problem: string | null; area: string | null }>`
    select subject, state, problem, (select name from aois where id = subject) as area from jobs`.execute(
    database.db,
  );
  const given = rows.find(({ state }) => state === 'failed');
  if (given !== undefined) {
    console.error(`a job was given up: ${JSON.stringify(given)}`);
    process.exit(3);
  }
  const busy = new Set(rows.flatMap(({ subject, area }) => [subject, area]));
  return Array.from({ length: blocks }, (_, block) => block).filter(
    (block) => !busy.has(collections.get(block) ?? '') && !busy.has(blockName(block)),
  );
}

/** Does work again until it succeeds: a server may be away for a while. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      console.log(`again ${String(error).split('\n')[0]}`);
      await sleep(AGAIN_MS);
    }
  }
}

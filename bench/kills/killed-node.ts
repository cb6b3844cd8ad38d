/**
 * Process of the product that may kill itself. Run as `killed-node.ts SETTINGS`, with {@link NodeSettings} as JSON. It
 * prints each phase that it begins. `ingest` ingests the stack and searches it, as the command does; `fill` only
 * ingests; `work` does jobs as a worker does, with blocks of one strip, until it is killed.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { monitorChanges } from '../../src/app/changes/monitor-collection.ts';
import { helpSearch } from '../../src/app/changes/share-search.ts';
import type { UnitTurns } from '../../src/app/changes/search/unit-turns.ts';
import { ingestStack } from '../../src/app/imagery/ingest-stack.ts';
import type { RasterStack } from '../../src/app/imagery/raster-stack.ts';
import { regroupAll } from '../../src/app/incidents/regroup-incidents.ts';
import type { Collection } from '../../src/app/series/collection-store.ts';
import type { Storage } from '../../src/app/storage.ts';
import { secretBox } from '../../src/auth/secret-box.ts';
import { UpstreamUnavailable } from '../../src/base/errors.ts';
import { readDatesCsv } from '../../src/sources/imagery/dates-csv.ts';
import { StackFileReader } from '../../src/sources/imagery/stack-file.ts';
import { openDatabase, type OpenDatabase } from '../../src/store/connection/database.ts';
import { JobQueue } from '../../src/store/job-queue.ts';
import { NatsEngine } from '../../src/store/jobs/nats-engine.ts';
import { openStorage } from '../../src/store/storage.ts';
import { type Doom, Phases } from './doomed.ts';
import { openKilledCubes } from './killed-cubes.ts';
import { NAME } from './killed-stack.ts';

/** What a process does. */
export interface NodeSettings {
  readonly mode: 'ingest' | 'fill' | 'work';
  readonly databaseUrl: string;
  /** Folder of the cubes, or of the copies of those in objects. */
  readonly cubes: string;
  /** Folder of the stack: values.tif, mask.tif, dates.csv. */
  readonly stack: string;
  readonly accountId: string;
  readonly doom?: Doom | undefined;
}

const VERSION = '9.9.9';
/** Attempts to open the database. */
const OPENINGS = 12;

/** On a machine with much other work, a connection takes longer than the time that the product gives it. */
async function openWhenReady(connectionString: string): Promise<OpenDatabase> {
  for (let attempt = 1; ; attempt++)
    try {
      return await openDatabase({
        connection: { connectionString },
        log: { info: () => undefined, warn: () => undefined },
        poolSize: 4,
      });
    } catch (error) {
      if (!(error instanceof UpstreamUnavailable) || attempt === OPENINGS) throw error;
    }
}

async function run({ mode, databaseUrl, cubes, stack, accountId, doom }: NodeSettings): Promise<void> {
  const phases = new Phases(doom);
  phases.begin('start');
  const database = await openWhenReady(databaseUrl);
  const onError = (error: unknown): void => console.error(String(error));
  const servers = process.env['NATS_URL'];
  const engine = servers === undefined ? undefined : new NatsEngine(database.db, { servers }, onError);
  const jobs = new JobQueue(database.db, onError, engine && { engine });
  const opened = openStorage(database, secretBox(randomBytes(32)), jobs);
  const cube = openKilledCubes(cubes);
  const storage = toldStorage(opened, phases);
  const deps = { storage, cube, version: VERSION };
  const search = async (collection: Collection, blockStrips?: number): Promise<void> => {
    phases.begin('search: reading');
    await monitorChanges(deps, collection, {
      progress: () => undefined,
      ...(blockStrips && { blockStrips }),
    });
    phases.begin('incidents: grouping');
    await regroupAll(storage);
  };
  if (mode === 'work') {
    await jobs.work({
      'refresh-anomalies': () => Promise.resolve(),
      'derive-feeds': () => Promise.resolve(),
      'help-search': async (job) => {
        phases.begin('help: reading');
        await helpSearch(deps, job);
        phases.begin('idle');
      },
      'monitor-collection': async ({ collectionId }) => {
        await search((await storage.collections.find(collectionId))!, 1);
        phases.begin('idle');
      },
    });
    phases.begin('idle');
    return;
  }
  const told = phases.of(
    cube,
    { create: 'ingest: making the cube', append: 'ingest: appending' },
    'ingest: after appending',
  );
  const { collection } = await ingestStack(
    { clock: { now: () => Date.now() }, storage, cube: told, stacks: toldStacks(phases) },
    {
      collection: NAME,
      metric: 'ndvi',
      environment: 'production',
      accountId,
      valuesPath: join(stack, 'values.tif'),
      maskPath: join(stack, 'mask.tif'),
      maskEncoding: 'sentinel-2-scl',
      datesPath: join(stack, 'dates.csv'),
      scale: 1e-4,
      variable: undefined,
    },
    () => undefined,
  );
  if (mode === 'ingest') await search(collection);
  phases.begin('end');
  await cube.close();
  await jobs.close();
  await database.close();
}

/** The stack reader with its phases: reading of files and bands, and what is done with a band that is read. */
function toldStacks(phases: Phases) {
  const files = new StackFileReader();
  return {
    async open(...args: Parameters<StackFileReader['open']>): Promise<RasterStack> {
      phases.begin('ingest: opening');
      return phases.of(await files.open(...args), { readBand: 'ingest: reading a band' }, 'ingest: masking');
    },
    readDates: readDatesCsv,
  };
}

/** The storage with its phases: records of an ingest, turns of units, and transactions of a publication. */
function toldStorage(opened: Storage, phases: Phases): Storage {
  const turns: UnitTurns = {
    async take(search, units) {
      const unit = await opened.turns.take(search, units);
      if (unit !== undefined) phases.begin(`search: ${unit.replace(/-\d+$/, '')} of a block`);
      return unit;
    },
    async giveBack(search, unit) {
      await opened.turns.giveBack(search, unit);
      phases.begin(`search: after ${unit.replace(/-\d+$/, '')}`);
    },
  };
  return {
    ...opened,
    turns,
    collections: phases.of(
      opened.collections,
      { create: 'ingest: making the collection', putScenes: 'ingest: recording scenes' },
      'ingest: after recording',
    ),
    async transaction(work) {
      phases.begin('publish: in a transaction');
      const result = await opened.transaction(work);
      phases.begin('publish: after a transaction');
      return result;
    },
  };
}

await run(JSON.parse(process.argv[2]!) as NodeSettings);

import { statfs } from 'node:fs/promises';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { listen, type Observation, type ObservedKind } from '../../base/observed.ts';
import { within } from '../../base/within.ts';
import type { PoolState } from '../../store/connection/database.ts';

/** Upper bounds of the durations of searches and publications, and of deliveries [s]. */
const WORK_S = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800];
const DELIVERY_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
/** Upper bounds of the durations of calls of the object store, with repetitions [s]. */
const OBJECT_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const OBJECT_OPERATIONS = ['get', 'put', 'list', 'delete'] as const;
const READY_MS = 1_500; // time in which the database must answer for the service to be ready

/** What {@link processMetrics} measures. */
export interface Measured {
  readonly dataFolder: string;
  readonly ready: () => Promise<string | undefined>;
  readonly shortage: () => Promise<string | undefined>;
  readonly connections: () => readonly PoolState[];
  /** End of the certificate that is served [ms since the Unix epoch]; undefined while none is. */
  readonly certificateEndsMs: () => number | undefined;
}

/**
 * Metrics of this process that need no answer of the database: memory and event loop, pools, disk, certificate, and
 * what the process did since its start.
 * @returns the registry, and a function that ends the counting
 */
export function processMetrics(measured: Measured): { readonly registry: Registry; stop(this: void): void } {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'groundwatch_' });
  addGauges(registry, measured);
  const stop = listen(counting(registry));
  return { registry, stop };
}

function addGauges(
  registry: Registry,
  { dataFolder, ready, shortage, connections, certificateEndsMs }: Measured,
): void {
  const add = (gauge: Gauge): void => registry.registerMetric(gauge);
  add(
    new Gauge({
      name: 'groundwatch_ready',
      help: 'Whether the database answers, 1 or 0.',
      registers: [],
      async collect() {
        const missing = await within(READY_MS, ready(), 'late').catch(() => 'failed');
        this.set(missing === undefined ? 1 : 0);
      },
    }),
  );
  add(
    new Gauge({
      name: 'groundwatch_database_room',
      help: 'Whether the database has room for what is written, 1 or 0.',
      registers: [],
      async collect() {
        const missing = await within(READY_MS, shortage(), 'late').catch(() => undefined);
        this.set(missing === undefined ? 1 : 0);
      },
    }),
  );
  add(
    new Gauge({
      name: 'groundwatch_database_connections',
      help: 'Connections to the database, by the rows that they reach and their state; most is the size of the pool.',
      labelNames: ['reach', 'state'],
      registers: [],
      collect() {
        for (const { reach, most, open, idle, waiting } of connections()) {
          this.set({ reach, state: 'used' }, open - idle);
          this.set({ reach, state: 'idle' }, idle);
          this.set({ reach, state: 'waited_for' }, waiting);
          this.set({ reach, state: 'most' }, most);
        }
      },
    }),
  );
  add(
    new Gauge({
      name: 'groundwatch_disk_bytes',
      help: 'Size of the file system of the data folder, and what is free of it.',
      labelNames: ['part'],
      registers: [],
      async collect() {
        this.reset();
        const disk = await statfs(dataFolder).catch(() => undefined);
        if (disk === undefined) return;
        this.set({ part: 'all' }, disk.blocks * disk.bsize);
        this.set({ part: 'free' }, disk.bavail * disk.bsize);
      },
    }),
  );
  add(
    new Gauge({
      name: 'groundwatch_certificate_end_seconds',
      help: 'End of the certificate that is served, in seconds since the Unix epoch.',
      registers: [],
      collect() {
        const end = certificateEndsMs();
        this.reset();
        if (end !== undefined) this.set(end / 1000);
        else this.remove();
      },
    }),
  );
}

/** Registers counters of observations. @returns the function that counts one */
function counting(registry: Registry): (observation: Observation) => void {
  const registers = [registry];
  const counter = (name: string, help: string): Counter => new Counter({ name, help, registers });
  const histogram = (name: string, help: string, buckets: number[]): Histogram =>
    new Histogram({ name, help, labelNames: ['outcome'], buckets, registers });
  const searches = histogram('groundwatch_search_seconds', 'Time of a search of a collection.', WORK_S);
  const publications = histogram(
    'groundwatch_publication_seconds',
    'Time of the publication of a search, with the wait for others.',
    WORK_S,
  );
  const deliveries = histogram(
    'groundwatch_delivery_seconds',
    'Time of an attempt to deliver an event, by what follows from it.',
    DELIVERY_S,
  );
  const failedJobs = counter('groundwatch_failed_jobs_total', 'Jobs that threw in this process.');
  const replicaReads = new Counter({
    name: 'groundwatch_replica_reads_total',
    help: 'Lists for which the replica of the database was asked, by whether it answered.',
    labelNames: ['outcome'],
    registers,
  });
  const damage = counter('groundwatch_damaged_files_total', 'Reads of a damaged file of a collection.');
  const failedWrites = counter(
    'groundwatch_failed_writes_total',
    'Writes to files of collections that failed.',
  );
  const timed = (into: Histogram) => (seen: Observation) =>
    into.observe({ outcome: seen.outcome }, seen.seconds ?? 0);
  const by: Readonly<Record<ObservedKind, (seen: Observation) => void>> = {
    search: timed(searches),
    publication: timed(publications),
    delivery: timed(deliveries),
    'failed-job': () => failedJobs.inc(),
    'replica-read': ({ outcome }) => replicaReads.inc({ outcome }),
    'damaged-file': () => damage.inc(),
    'failed-write': () => failedWrites.inc(),
    ...countingObjects(registers),
  };
  return (seen) => by[seen.kind](seen);
}

/** Registers what is counted of the object store. */
function countingObjects(
  registers: Registry[],
): Readonly<Record<'object-call' | 'object-copy', (seen: Observation) => void>> {
  const calls = new Histogram({
    name: 'groundwatch_object_call_seconds',
    help: 'Time of a call of the object store with its repetitions, by operation and outcome.',
    labelNames: ['operation', 'outcome'],
    buckets: OBJECT_S,
    registers,
  });
  // So that the first failure is an increase.
  for (const operation of OBJECT_OPERATIONS) calls.zero({ operation, outcome: 'failed' });
  const bytes = new Counter({
    name: 'groundwatch_object_bytes_total',
    help: 'Bytes of objects that were read (get) or written (put).',
    labelNames: ['operation'],
    registers,
  });
  const copies = new Counter({
    name: 'groundwatch_object_copies_total',
    help: 'Reads of cubes in objects, by whether the copy on this disk was up to date: hit or miss.',
    labelNames: ['outcome'],
    registers,
  });
  return {
    'object-call'({ operation = '', outcome, seconds = 0, bytes: size = 0 }) {
      calls.observe({ operation, outcome }, seconds);
      if (size > 0) bytes.inc({ operation }, size);
    },
    'object-copy': ({ outcome }) => copies.inc({ outcome }),
  };
}

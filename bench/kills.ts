/**
 * Kills an ingest, and workers that share a search, at random in every phase, until each was killed fifty times. Each
 * killed run goes on in a new process, and must end with the samples, scenes, changes, events and incidents of an
 * undisturbed run. Prints how often each phase was struck, and fails if an end differs. Choices as NAME... are seed=7,
 * ingest=50, search=50, and phase=TEXT to strike only phases with that text in their name. NATS_URL and
 * GROUNDWATCH_OBJECTS apply as in the product.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { createAoi } from '../src/app/areas/manage-aois.ts';
import type { Collection } from '../src/app/series/collection-store.ts';
import { collectionState, type CollectionState } from '../test/fault/collection-state.ts';
import { testStorage } from '../test/fixtures/storage.ts';
import { uniform } from '../test/oracles/simulated-series.ts';
import { type Doom, PHASE_LINE } from './kills/doomed.ts';
import { openKilledCubes } from './kills/killed-cubes.ts';
import type { NodeSettings } from './kills/killed-node.ts';
import { killedStack, NAME } from './kills/killed-stack.ts';

/** Maximum number of kills before a run may end. */
const KILLS_A_RUN = 6;
const WORKERS = 2;
/** Time in which a run must end after its last kill [ms]. */
const PATIENCE_MS = 900_000;

const choices = new Map(process.argv.slice(2).map((word) => word.split('=') as [string, string]));
const choice = (name: string, otherwise: number): number => Number(choices.get(name) ?? otherwise);
const seed = choice('seed', 7);
const only = choices.get('phase') ?? '';
const random = uniform(seed);

const root = await mkdtemp(join(tmpdir(), 'groundwatch-kills-'));
await chmod(root, 0o755); // PostgreSQL runs as another user when the benchmark runs as root
const world = await testStorage();
const stackFolder = join(root, 'stack');
const { area, ...files } = killedStack();
await mkdir(stackFolder);
await writeFile(join(stackFolder, 'values.tif'), files.values);
await writeFile(join(stackFolder, 'mask.tif'), files.mask);
await writeFile(join(stackFolder, 'dates.csv'), files.dates);

/** A phase as an undisturbed run has it: how often it begins, and how long it takes at the median [ms]. */
interface PhaseSeen {
  readonly count: number;
  readonly medianMs: number;
}

/** A running process, and the phases that it began. */
interface Node {
  readonly child: ChildProcess;
  readonly doom: Doom | undefined;
  readonly phases: { readonly phase: string; readonly at: number }[];
  readonly ended: Promise<void>;
}

let folders = 0;
/** Folder of the cubes of a new process: that of all, or an empty one for copies of those in objects. */
const cubesFolder = (): string =>
  join(root, process.env['GROUNDWATCH_OBJECTS'] === undefined ? 'cubes' : `copies-${++folders}`);

function start(mode: NodeSettings['mode'], accountId: string, doom?: Doom): Node {
  const settings: NodeSettings = {
    mode,
    databaseUrl: world.database.url,
    cubes: cubesFolder(),
    stack: stackFolder,
    accountId,
    doom,
  };
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'kills/killed-node.ts'), JSON.stringify(settings)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      // Processes are started hundreds of times, and read a few hundred files of sources.
      env: { ...process.env, NODE_COMPILE_CACHE: join(root, 'compiled') },
    },
  );
  const phases: { phase: string; at: number }[] = [];
  createInterface(child.stdout).on('line', (line) => {
    if (line.startsWith(PHASE_LINE))
      phases.push({ phase: line.slice(PHASE_LINE.length), at: performance.now() });
  });
  return { child, doom, phases, ended: once(child, 'close').then(() => undefined) };
}

/** Whether a process was killed by its doom. @throws Error when it failed */
function isKilled({ child }: Node): boolean {
  if (child.signalCode === 'SIGKILL') return true;
  if (child.exitCode !== null && child.exitCode !== 0)
    throw new Error(`a process ended with code ${child.exitCode}`);
  return false;
}

let accounts = 0;
async function newAccount(): Promise<string> {
  const { storage } = world;
  const { id: accountId } = await storage.accounts.create(`killed ${++accounts}`);
  const owner = { accountId, environment: 'production' } as const;
  await storage
    .boundTo(owner)
    .transaction((stores) => createAoi(stores, owner, { name: 'wood', geometry: area }));
  return accountId;
}

async function collectionOf(accountId: string): Promise<Collection> {
  const [collection] = await world.storage.collections.byName('production', accountId, NAME);
  return collection!;
}

/** The stored state of an account's collection, as a process reads it that has no part in the run. */
async function stateOf(accountId: string): Promise<CollectionState> {
  const cube = openKilledCubes(cubesFolder());
  try {
    return await collectionState({ ...world, cube }, await collectionOf(accountId));
  } finally {
    await cube.close();
  }
}

/** Ingests and searches. @param strike chooses the dooms of the processes; undefined: nobody is killed */
async function ingestRun(strikes: Strikes | undefined): Promise<CollectionState> {
  const accountId = await newAccount();
  for (let kills = 0; ; kills++) {
    const node = start('ingest', accountId, kills < KILLS_A_RUN ? strikes?.next() : undefined);
    await node.ended;
    if (strikes === undefined) undisturbed.ingest = seenIn([node]);
    if (!isKilled(node)) return await stateOf(accountId);
    strikes!.struck(node);
  }
}

/** Searches what was ingested, with several workers. */
async function searchRun(strikes: Strikes | undefined): Promise<CollectionState> {
  const accountId = await newAccount();
  const filled = start('fill', accountId);
  await filled.ended;
  if (isKilled(filled)) throw new Error('a process that nobody kills was killed');
  const { id } = await collectionOf(accountId);
  await world.storage.jobs.monitorCollection({ collectionId: id });
  const nodes = Array.from({ length: WORKERS }, () => start('work', accountId, strikes?.next()));
  let kills = 0;
  let patience = performance.now() + PATIENCE_MS;
  while (!(await isPublished(id))) {
    if (performance.now() > patience)
      throw new Error(`a search did not end: ${JSON.stringify(nodes.map(lastPhase))}`);
    await sleep(50);
    for (const [n, node] of nodes.entries()) {
      if (!isKilled(node)) continue;
      strikes!.struck(node);
      patience = performance.now() + PATIENCE_MS;
      nodes[n] = start('work', accountId, ++kills < KILLS_A_RUN ? strikes!.next() : undefined);
    }
  }
  if (strikes === undefined) undisturbed.search = seenIn(nodes);
  for (const node of nodes) {
    node.child.kill('SIGTERM');
    await node.ended;
  }
  return await stateOf(accountId);
}

/** Whether a collection is published and no job is left. */
async function isPublished(id: string): Promise<boolean> {
  const jobs = await world.database.db.selectFrom('jobs').select('id').execute();
  return jobs.length === 0 && (await world.storage.collections.monitoredAs(id)) !== null;
}

function lastPhase({ phases }: Node): string {
  return phases.at(-1)?.phase ?? 'not begun';
}

const undisturbed: { ingest?: ReadonlyMap<string, PhaseSeen>; search?: ReadonlyMap<string, PhaseSeen> } = {};

/** Phases of some processes, without their start, idle times and end. */
function seenIn(nodes: readonly Node[]): ReadonlyMap<string, PhaseSeen> {
  const times = new Map<string, number[]>();
  for (const { phases } of nodes)
    for (const [i, { phase, at }] of phases.entries()) {
      const next = phases[i + 1];
      if (next === undefined || !phase.includes(':')) continue;
      times.set(phase, [...(times.get(phase) ?? []), next.at - at]);
    }
  return new Map(
    [...times].map(([phase, ms]) => [
      phase,
      { count: ms.length, medianMs: ms.toSorted((a, b) => a - b)[Math.floor(ms.length / 2)]! },
    ]),
  );
}

/** Chooses phases to kill in, the least struck ones first, and counts in which phase each kill fell. */
class Strikes {
  readonly #phases: ReadonlyMap<string, PhaseSeen>;
  /** Number of processes that share the occurrences of a phase. */
  readonly #shares: number;
  readonly counts: Map<string, number>;
  /** Number of dooms of each phase, also of those that did not come true. */
  readonly #tried: Map<string, number>;
  total = 0;

  constructor(phases: ReadonlyMap<string, PhaseSeen>, shares: number) {
    this.#phases = phases;
    this.#shares = shares;
    this.counts = new Map([...phases.keys()].map((phase) => [phase, 0]));
    this.#tried = new Map(this.counts);
  }

  next(): Doom {
    const phase = [...this.#phases.keys()]
      .filter((name) => name.includes(only))
      .map((name) => ({ name, rank: this.#tried.get(name)! + this.counts.get(name)! + random() }))
      .toSorted((a, b) => a.rank - b.rank)[0]!.name;
    this.#tried.set(phase, this.#tried.get(phase)! + 1);
    const { count, medianMs } = this.#phases.get(phase)!;
    const most = Math.max(1, Math.floor(count / this.#shares));
    return { phase, occurrence: 1 + Math.floor(random() * most), delayMs: random() * 1.5 * medianMs };
  }

  struck(node: Node): void {
    const phase = lastPhase(node);
    this.counts.set(phase, (this.counts.get(phase) ?? 0) + 1);
    this.total++;
  }
}

/** Names of the parts in which two states differ. */
function differences(a: CollectionState, b: CollectionState): readonly string[] {
  return (Object.keys(a) as (keyof CollectionState)[]).filter((part) => !isDeepStrictEqual(a[part], b[part]));
}

/** Kills runs until the number is reached. @returns whether all ended as the undisturbed one */
async function killAll(
  what: string,
  number: number,
  expected: CollectionState,
  strikes: Strikes,
  run: (strikes: Strikes) => Promise<CollectionState>,
): Promise<boolean> {
  let [runs, equal] = [0, 0];
  while (strikes.total < number) {
    const differ = differences(await run(strikes), expected);
    runs++;
    if (differ.length === 0) equal++;
    const end = differ.length === 0 ? 'equal' : `${differ.join(', ')} differ from the undisturbed run`;
    console.log(`${what}, run ${runs}, ${strikes.total} kills so far: ${end}`);
  }
  console.log(
    `\n${what}: ${strikes.total} kills in ${runs} runs; ${equal} of ${runs} ended as the undisturbed run`,
  );
  for (const [phase, count] of strikes.counts)
    console.log(`  ${phase.padEnd(40)} ${String(count).padStart(3)}`);
  return equal === runs;
}

const where = process.env['GROUNDWATCH_OBJECTS'] === undefined ? 'in a folder' : 'in objects';
const by = process.env['NATS_URL'] === undefined ? 'the database' : 'NATS';
const load = (): string => `load ${loadavg()[0]!.toFixed(1)}`;
console.log(`seed ${seed}, cubes ${where}, jobs by ${by}, ${load()}`);
let failed = false;
try {
  const expected = await ingestRun(undefined);
  const { scenes, changes, events, incidents, damage } = expected;
  console.log(
    `undisturbed: ${scenes.length / 2} scenes, ${changes.length} changes, ${events.length} events, ` +
      `${incidents.length} incidents, samples ${expected.pixels.slice(0, 16)}`,
  );
  if (changes.length < 3 || events.length < 3 || damage.length > 0)
    throw new Error('the undisturbed run is poor');
  const divided = differences(await searchRun(undefined), expected);
  if (divided.length > 0) throw new Error(`the divided search differs: ${divided.join(', ')}`);
  console.log(`the search by ${WORKERS} workers in blocks ends as the undivided one`);
  const ingests = new Strikes(undisturbed.ingest!, 1);
  failed = !(await killAll('ingest', choice('ingest', 50), expected, ingests, ingestRun)) || failed;
  const searches = new Strikes(undisturbed.search!, 2 * WORKERS);
  failed = !(await killAll('search', choice('search', 50), expected, searches, searchRun)) || failed;
  console.log(`\n${failed ? 'FAILED' : 'all equal'}, ${load()}`);
} finally {
  await world.close();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(failed ? 1 : 0);

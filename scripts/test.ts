// Runs all tests but the long ones, with `--all` those too, or the given files, in a few parallel lanes with one process
// each. One process per file would cost ten times as much. With a single process, a processor would be idle while a test
// waits. The summary of the test runner is printed last; it says how many files were left out.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { testProgram } from './test/program.ts';
import { NOTE } from './test/reporter.ts';
import { type Selection, selectTests, tellLeftOut } from './test/selection.ts';

const ROOT = join(import.meta.dirname, '..');

/** Timeout of one test [ms]; the longest acceptance test takes a minute on two busy cores. */
const TEST_TIMEOUT_MS = 300_000;

/**
 * Files of each lane; files that match no pattern run in the first lane. They take about the same time. Tests of the same
 * service share a lane. The last one waits most: for alerts, for jobs of parts that are killed, for a browser, for backups,
 * and for servers of objects.
 */
const LANES = [
  /^(src\/(?!change\/|cube|sources|store)|bench|scripts|web|test\/fault\/fuzz\/files)/,
  /^(test\/(acceptance(?!\/backup)|pins)|src\/change)\//,
  /^test\/((contract|fault(?!\/(alerts|jobs)))\/|smoke\/reference)/,
  /^(test\/(acceptance\/backup|fault\/(alerts|jobs)|smoke)|src\/(cube|sources|store)\/)/,
];

/** Files that a run of the quick tests moves to the second lane, which has most of the long ones. */
const MOVED_WHEN_QUICK = /^src\/(cli|http)\//;

const selection = selected(process.argv.slice(2));
/**
 * Tests that share one database server run in a single lane, so that they do not take all of its connections.
 */
const sharesServer = process.env['GROUNDWATCH_TEST_DATABASE_URL'] !== undefined;
const laneOf = (file: string): number =>
  sharesServer
    ? 0
    : selection.leftOut > 0 && MOVED_WHEN_QUICK.test(file)
      ? 1
      : Math.max(
          0,
          LANES.findIndex((lane) => lane.test(file)),
        );
const byLane = Map.groupBy(selection.files, laneOf);

const folder = mkdtempSync(join(tmpdir(), 'groundwatch-lanes-'));
const entries = Array.from(byLane, ([lane, its]) => {
  const entry = join(folder, `lane-${lane + 1}.mjs`);
  writeFileSync(entry, laneText(its.map((file) => pathToFileURL(resolve(ROOT, file)).href)));
  return entry;
});
const run = spawn(
  process.execPath,
  [
    '--test',
    `--test-concurrency=${entries.length}`,
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    `--test-reporter=${pathToFileURL(join(ROOT, 'scripts/test/reporter.ts')).href}`,
    ...entries,
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_ENV: 'test',
      [NOTE]: tellLeftOut(selection),
      ...(selection.files.some(startsPrograms) && {
        GROUNDWATCH_TEST_PROGRAM: await testProgram(ROOT),
      }),
      // What the first process that needs it makes for all of them.
      GROUNDWATCH_TEST_LAYERS: join(folder, 'layers'),
      GROUNDWATCH_TEST_CLUSTER: join(folder, 'cluster'),
      // With this variable, threads also use the compiled code in the cache.
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'node-compile-cache'),
    },
  },
);
// A terminal sends an interrupt to all processes. This process ignores it and waits until the runner has ended.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => run.kill());
const [status] = (await once(run, 'exit')) as [number | null];
rmSync(folder, { recursive: true });
process.exit(status ?? 1);

function selected(args: readonly string[]): Selection {
  try {
    return selectTests(args, ROOT);
  } catch (error) {
    console.error((error as Error).message);
    return process.exit(2);
  }
}

/** Whether a test may start a service or a command. Without the bundle it starts the sources, which takes longer. */
function startsPrograms(file: string): boolean {
  return (
    file.startsWith('test/') || (existsSync(file) && readFileSync(file, 'utf8').includes('fixtures/program'))
  );
}

/**
 * Source of a lane. A file that cannot be loaded becomes one failed test, and the files after it still run. The first
 * test ends when all files are loaded: the runner calls the hooks that close what tests share as soon as no test waits,
 * also while a file is being loaded. A lane that is terminated still runs its exit handlers, which stop the services and
 * databases that tests have started.
 */
function laneText(urls: readonly string[]): string {
  return `import { test } from 'node:test';
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const loaded = Promise.withResolvers();
test('the files of the lane are loaded', () => loaded.promise);
for (const url of ${JSON.stringify(urls)}) {
  try {
    await import(url);
  } catch (error) {
    test(url, () => {
      throw error;
    });
  }
}
loaded.resolve();
`;
}

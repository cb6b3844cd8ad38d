// Runs all tests but the long ones, with `--all` those too, or the given files, in a dozen groups with one process each, a
// few at a time. One process per file would cost ten times as much. With a single process, a processor would be idle while
// a test waits. The summary of the test runner is printed last; it says how many files were left out.
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

/** Timeout of one test [ms]; the longest takes two minutes on two busy cores, and many times that on a slow machine. */
const TEST_TIMEOUT_MS = 900_000;

/** Groups that run at the same time. Two cores are busy with them while tests wait. */
const AT_ONCE = 4;

/**
 * Files of each group; files that match no pattern are the last group. The groups begin in this order, each when an earlier
 * one has ended, so those that take longest come first. Tests of the same service share a group.
 */
const GROUPS = [
  /^test\/acceptance\/(?!.*backup|object|real-input)[n-z]/, // the others of its folder are further down
  /^test\/fault\/(k|shares)/,
  /^test\/(fault\/(alerts|jobs)|smoke\/console)/, // it waits most: for alerts, killed workers and a browser
  /^src\/app\/changes\//,
  /^test\/(contract\/|smoke\/reference)/,
  /^src\/(sources|store)\//,
  /^test\/acceptance\/(.*backup|object|real-input)/,
  /^test\/fault\/(?!fuzz\/files)/,
  /^(src\/(auth|backup|base|cli|client|http|main|net|webhooks)\/|test\/fault\/fuzz\/files)/,
  /^(src\/change|test\/pins)\//,
  /^src\/app\//,
  /^(bench|scripts|web|src(?!\/cube))\//,
  /^test\/acceptance\//,
];

const selection = selected(process.argv.slice(2));
/** Tests that share one database server run in a single group, so that they do not take all of its connections. */
const sharesServer = process.env['GROUNDWATCH_TEST_DATABASE_URL'] !== undefined;
const groupOf = (file: string): number => {
  const group = sharesServer ? 0 : GROUPS.findIndex((pattern) => pattern.test(file));
  return group < 0 ? GROUPS.length : group;
};
const byGroup = Map.groupBy(selection.files, groupOf);

const folder = mkdtempSync(join(tmpdir(), 'groundwatch-groups-'));
const entries = Array.from(byGroup, ([group, its]) => {
  // The runner begins with the first name.
  const entry = join(folder, `group-${String(group + 1).padStart(2, '0')}.mjs`);
  writeFileSync(entry, groupText(its.map((file) => pathToFileURL(resolve(ROOT, file)).href)));
  return entry;
});
const run = spawn(
  process.execPath,
  [
    '--test',
    `--test-concurrency=${AT_ONCE}`,
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
 * Source of a group. A file that cannot be loaded becomes one failed test, and the files after it still run. The first
 * test ends when all files are loaded: the runner calls the hooks that close what tests share as soon as no test waits,
 * also while a file is being loaded. A group that is terminated still runs its exit handlers, which stop the services and
 * databases that tests have started.
 */
function groupText(urls: readonly string[]): string {
  return `import { test } from 'node:test';
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const loaded = Promise.withResolvers();
test('the files of the group are loaded', () => loaded.promise);
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

// Runs every test, or the files given, in a few lanes side by side, each a process of its own: a process per file costs
// ten times as much, and a single one waits where others could work. The runner's own summary is the last thing printed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Longest that one test may take [ms]: the longest acceptance test takes a minute on two busy cores. */
const TEST_TIMEOUT_MS = 300_000;

/** What runs in one process, one file after the other: parts of about the same length. What is of none is of the first. */
const LANES = [/^(src|bench|web)\//, /^test\/(acceptance|pins)\//, /^test\/(contract|fault|smoke)\//];

const asked = process.argv.slice(2);
const files =
  asked.length > 0
    ? asked.flatMap((path) => {
        const found = globSync(path);
        return found.length > 0 ? found : path; // which fails by its name
      })
    : globSync('{src,bench,web,test}/**/*.test.ts');
/** On one server, a transaction that a test has open hides the events of another's (they are told in the order of commits). */
const sharesServer = process.env['GROUNDWATCH_TEST_DATABASE_URL'] !== undefined;
const laneOf = (file: string): number =>
  sharesServer
    ? 0
    : Math.max(
        0,
        LANES.findIndex((lane) => lane.test(file)),
      );
// In one order, so that a run of some says what the run of all does.
const byLane = Map.groupBy(files.toSorted(), laneOf);

const folder = mkdtempSync(join(tmpdir(), 'groundwatch-lanes-'));
const entries = Array.from(byLane, ([lane, its]) => {
  const entry = join(folder, `lane-${lane + 1}.mjs`);
  writeFileSync(entry, laneText(its.map((file) => pathToFileURL(resolve(file)).href)));
  return entry;
});
const run = spawn(
  process.execPath,
  [
    '--test',
    `--test-concurrency=${entries.length}`,
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    '--test-reporter=spec',
    ...entries,
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_ENV: 'test',
      // Threads, too, then find what was compiled before.
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'node-compile-cache'),
    },
  },
);
// A terminal interrupts all of them; the runner tells how far it came, and this waits for it.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => run.kill());
const [status] = (await once(run, 'exit')) as [number | null];
rmSync(folder, { recursive: true });
process.exit(status ?? 1);

/**
 * A file that cannot be loaded is one failed test; those after it run. A lane that is ended still does what it does at its
 * end: services and databases that tests have started go with it.
 */
function laneText(urls: readonly string[]): string {
  return `import { test } from 'node:test';
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
for (const url of ${JSON.stringify(urls)}) {
  try {
    await import(url);
  } catch (error) {
    test(url, () => {
      throw error;
    });
  }
}
`;
}

// Runs every test, or the files given, in one process: a process per file costs ten times as much. The runner's own
// summary is the last thing printed.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';

/** Longest that one test may take [ms]: the longest acceptance test takes a minute on two busy cores. */
const TEST_TIMEOUT_MS = 300_000;

const asked = process.argv.slice(2);
const files =
  asked.length > 0
    ? asked
    : globSync([
        'src/**/*.test.ts',
        'bench/**/*.test.ts',
        'web/**/*.test.ts',
        'test/**/*.test.ts',
      ]).toSorted();
const run = spawnSync(
  process.execPath,
  ['--test', '--test-isolation=none', `--test-timeout=${TEST_TIMEOUT_MS}`, '--test-reporter=spec', ...files],
  { stdio: 'inherit', env: { ...process.env, NODE_ENV: 'test' } },
);
process.exit(run.status ?? 1);

// Runs every test in one process (a process per file costs ten times as much) and prints the runner's summary.
import { globSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

const asked = process.argv.slice(2);
const files = asked.length > 0 ? asked : globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).toSorted();
const run = spawnSync(
  process.execPath,
  ['--test', '--test-isolation=none', '--test-reporter=spec', ...files],
  { stdio: 'inherit', env: { ...process.env, NODE_ENV: 'test' } },
);
process.exit(run.status ?? 1);

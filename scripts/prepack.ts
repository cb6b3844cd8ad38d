// Builds what is published, unless it is built. Run by npm as `prepack`, so that an archive has the program of its sources.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { isBuildStale } from './program/stale.ts';

const root = join(import.meta.dirname, '..');

if (isBuildStale(root)) {
  const build = spawnSync(process.execPath, [join(root, 'scripts/build.ts')], {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr], // the standard output of `npm pack` is the name of the archive
  });
  process.exitCode = build.status ?? 1;
}

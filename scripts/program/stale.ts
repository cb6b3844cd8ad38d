import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What the build is made from, relative to the root of a checkout. */
const INPUTS = ['src/**/*', 'scripts/program/*', 'scripts/build.ts', 'package.json', 'package-lock.json'];
/** File that a build writes when the program is complete. */
const LAST = 'dist/third-party-licences.txt';

/** Returns whether the program in `dist` is missing, incomplete or older than what it is made from. */
export function isBuildStale(root: string): boolean {
  const built = statSync(join(root, LAST), { throwIfNoEntry: false })?.mtimeMs;
  if (built === undefined) return true;
  return globSync(INPUTS, { cwd: root }).some((path) => statSync(join(root, path)).mtimeMs > built);
}

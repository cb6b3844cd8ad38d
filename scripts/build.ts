// Builds the published files: the service in dist/ and the console in web/dist. Run as `npm run build`.
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildStaleConsole } from '../src/http/console/build.ts';
import { bundleLibrary, bundleProgram } from './program/bundle.ts';
import { licencesOf } from './program/licences.ts';

const root = join(import.meta.dirname, '..');

rmSync(join(root, 'dist'), { recursive: true, force: true });
// Writes the declarations of what the package exports, and of what that imports. `npm run check` finds errors of types; to
// look for them here too takes three times as long.
const compiler = spawnSync(
  process.execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '--noCheck', '-p', join(root, 'tsconfig.build.json')],
  { stdio: 'inherit' },
);
if (compiler.status !== 0) process.exit(compiler.status ?? 1);
const modules = await bundleProgram(root, root);
await bundleLibrary(root, root);
writeFileSync(join(root, 'dist/third-party-licences.txt'), licencesOf(modules));
await buildStaleConsole(root);
process.stdout.write('dist/ and web/dist are built\n');

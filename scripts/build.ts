// Builds the published files: the service in dist/ and the console in web/dist. Run as `npm run build`.
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildConsole } from '../src/http/console/build.ts';

const root = join(import.meta.dirname, '..');

rmSync(join(root, 'dist'), { recursive: true, force: true });
const compiler = spawnSync(
  process.execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.build.json')],
  { stdio: 'inherit' },
);
if (compiler.status !== 0) process.exit(compiler.status ?? 1);
// The compiler does not copy these files (for example WebAssembly), which the code reads at run time.
for (const file of globSync('**/{*.wasm,*.sql,*.json,page-script.js}', { cwd: join(root, 'src') }))
  cpSync(join(root, 'src', file), join(root, 'dist', file));
await buildConsole(root);
process.stdout.write('dist/ and web/dist are built\n');

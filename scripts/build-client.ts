// Builds the npm package groundwatch-client, the client library without the service, as one file groundwatch-client-VERSION.tgz.
// Usage: node scripts/build-client.ts [FOLDER for the file; default: the current one]
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const { version, license, engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly license: string;
  readonly engines: object;
};

const folder = mkdtempSync(join(tmpdir(), 'groundwatch-client-'));
try {
  execFileSync(
    process.execPath,
    [
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      '-p',
      join(ROOT, 'tsconfig.client.json'),
      '--outDir',
      join(folder, 'dist'),
    ],
    { stdio: 'inherit' },
  );
  const manifest = {
    name: 'groundwatch-client',
    version,
    description: 'Typed client of the Groundwatch API, for Node and browsers',
    license,
    type: 'module',
    sideEffects: false,
    engines,
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    files: ['dist', 'LICENSE', 'README.md'],
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  cpSync(join(ROOT, 'src/client/README.md'), join(folder, 'README.md'));
  const target = resolve(process.argv[2] ?? '.');
  execFileSync('npm', ['pack', '--silent', '--pack-destination', target], { cwd: folder, stdio: 'inherit' });
} finally {
  rmSync(folder, { recursive: true });
}

// Makes a throwaway peril, operation and sensor by the recipes of CONTRIBUTING.md in a copy of the project, compiles
// the copy and tests it. Fails if a recipe no longer works or changes more places than CONTRIBUTING.md states.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { listFiles } from './house/modules.ts';

const ROOT = join(import.meta.dirname, '..');
/** Maximum number of places that each recipe changes. A file and its test count as one place. */
const MOST_PLACES = { peril: 7, operation: 6, sensor: 3 } as const;

process.chdir(ROOT);
const copy = mkdtempSync(join(tmpdir(), 'groundwatch-recipes-'));
try {
  for (const file of listFiles()) {
    mkdirSync(join(copy, dirname(file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file), { force: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));

  const touched = [
    ...make('peril', 'heat'),
    ...make('operation', 'readTides', 'stations'),
    ...make('sensor', 'planet-x'),
  ];
  run('generate', ['scripts/generate.ts']);
  run('types', [
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    '--noEmit',
    '--checkers',
    '1',
    '-p',
    'tsconfig.json',
  ]);
  run('the console’s types', [
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    '--noEmit',
    '--checkers',
    '1',
    '-p',
    'web/tsconfig.json',
  ]);
  const lint = join(ROOT, 'node_modules/oxlint/bin/oxlint');
  run('lint', [lint]);
  // The rules that know types take ten times as long. Of the files that no recipe touches, a new peril or operation can
  // only break a `switch` that names them all.
  run('lint with types', [lint, '--type-aware', ...new Set([...touched, ...listFiles().filter(hasSwitch)])]);
  run('tests', [
    'scripts/test.ts',
    'scripts/new/throwaway-checks.ts',
    'test/contract/operations.test.ts',
    'src/risk/heat/heat.test.ts',
    'src/sources/imagery/sensors/planet-x.test.ts',
    'test/pins/risk-answers.test.ts',
    'src/client/groundwatch.test.ts',
    'src/contract/openapi/openapi.test.ts',
  ]);
  console.log('The recipes for a peril, an operation and a sensor work');
} finally {
  rmSync(copy, { recursive: true, force: true });
}

function hasSwitch(file: string): boolean {
  return /\.tsx?$/.test(file) && readFileSync(join(copy, file), 'utf8').includes('switch (');
}

/** @returns the files that the recipe touches */
function make(kind: keyof typeof MOST_PLACES, ...given: string[]): readonly string[] {
  const said = execFileSync(process.execPath, ['scripts/new.ts', kind, ...given], {
    cwd: copy,
    encoding: 'utf8',
  });
  const touched = [...said.matchAll(/^ {2}(\S+)$/gm)].map(([, file]) => file!);
  const places = new Set(touched.map((file) => file.replace(/\.test\.ts$/, '.ts'))).size;
  console.log(`${kind} ${given.join(' ')}: ${places} places`);
  if (places > MOST_PLACES[kind])
    throw new Error(
      `${kind}: ${places} places, expected at most ${MOST_PLACES[kind]}:\n${touched.join('\n')}`,
    );
  return touched.filter((file) => /\.tsx?$/.test(file));
}

function run(what: string, args: readonly string[]): void {
  // The other operations are tested in the project itself.
  const env = { ...process.env, GROUNDWATCH_TEST_OPERATION: 'readTides' };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${what} failed:\n${failures(stdout)}${stderr.slice(-2000)}`);
}

/** The failures in the output of a test run or a compiler, which are at its end. */
function failures(printed: string): string {
  const at = printed.indexOf('✖ failing tests');
  return at < 0 ? printed.slice(-4000) : printed.slice(at, at + 4000);
}

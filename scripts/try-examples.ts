// Runs the README's examples of the package against the built package, imported as in another program, and bundles
// groundwatch/risk for a browser. Run after `npm run build`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Rolldown } from 'vite';

const ROOT = join(import.meta.dirname, '..');
/** Maximum size of the minified bundle of groundwatch/risk [bytes]. */
const MOST_BYTES = 170_000;

/** Expected output of each example. */
const EXPECTED: Readonly<Record<string, RegExp>> = {
  'groundwatch/risk': /^0\.\d\d true 0\.\d{4}\n$/,
  'groundwatch/change': /^vegetation_loss confirmed 16 2022\n$/,
  'groundwatch/geo': /^true MultiPolygon 11\d{3}\n.*cross.*\n$/,
};

const examples = [...readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/```js\n([\s\S]*?)```/g)].map(
  ([, code]) => code!,
);
const folder = mkdtempSync(join(tmpdir(), 'groundwatch-examples-'));
try {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/groundwatch'));
  for (const [name, expected] of Object.entries(EXPECTED)) {
    const code = examples.find((example) => example.includes(`from '${name}'`));
    if (code === undefined) throw new Error(`README.md has no example of ${name}`);
    const file = join(folder, `${name.split('/')[1]}.mjs`);
    writeFileSync(file, code);
    const printed = execFileSync(process.execPath, [file], { encoding: 'utf8' });
    if (!expected.test(printed))
      throw new Error(`The example of ${name} printed ${printed}, expected ${String(expected)}`);
    console.log(`${name}: ${printed.trim().replaceAll('\n', ' | ')}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

const bundle = (await build({
  root: ROOT,
  configFile: false,
  logLevel: 'error',
  build: {
    write: false,
    lib: { entry: join(ROOT, 'dist/risk/index.js'), formats: ['iife'], name: 'risk' },
  },
})) as Rolldown.RolldownOutput[];
const [chunk] = bundle[0]!.output;
if (/__vite-browser-external|from ?["']node:/.test(chunk.code))
  throw new Error('groundwatch/risk imports a module of Node');
if (chunk.code.length > MOST_BYTES)
  throw new Error(`groundwatch/risk takes ${chunk.code.length} bytes, at most ${MOST_BYTES}`);
console.log(`groundwatch/risk in a browser: ${chunk.code.length} bytes, minified`);

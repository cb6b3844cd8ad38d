import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { buildConsoleInBackground, buildStaleConsole, isConsoleFresh } from './build.ts';

/** Source of a fake bundler, which copies the page, fails, or never ends. */
const BUNDLER = `
const { readFileSync, writeFileSync } = require('node:fs');
const [, , , web, , out] = process.argv;
const page = readFileSync(web + '/index.html', 'utf8');
if (page === 'broken') { console.error('line 1: this is broken'); process.exit(1); }
if (page === 'endless') setInterval(() => {}, 1000);
else writeFileSync(out + '/index.html', 'built of ' + page);
`;

function checkout(t: TestContext, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'groundwatch-build-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) write(root, path, text);
  return root;
}

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function logged() {
  const lines: string[] = [];
  const note = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  return { lines, log: { info: note('info'), warn: note('warn') } };
}

const bundler = { 'node_modules/vite/bin/vite.js': BUNDLER };
const page = (root: string): string => readFileSync(join(root, 'web/dist/index.html'), 'utf8');

test('a console is built when it is missing or a source has changed, and not otherwise', async (t) => {
  const root = checkout(t, { ...bundler, 'web/index.html': 'one', 'src/contract/a.ts': 'a' });
  const { lines, log } = logged();
  const build = () => buildConsoleInBackground({ root, log }).done;
  assert.equal(await isConsoleFresh(root), false);
  await build();
  assert.equal(page(root), 'built of one');
  assert.equal(await isConsoleFresh(root), true);
  await build();
  assert.deepEqual(lines, ['info: The console is being built', 'info: The console is built']);

  write(root, 'web/index.html', 'two');
  await build();
  assert.equal(page(root), 'built of two');
  write(root, 'src/contract/a.ts', 'b');
  assert.equal(await isConsoleFresh(root), false);
  await build();
  write(root, 'web/map/a.test.ts', 'a test is no source');
  assert.equal(await isConsoleFresh(root), true);
  assert.equal(lines.length, 6);
});

test('an install builds the console once, and needs no bundler', async (t) => {
  const root = checkout(t, { ...bundler, 'web/index.html': 'one' });
  await buildStaleConsole(root);
  assert.equal(page(root), 'built of one');
  write(root, 'node_modules/vite/bin/vite.js', 'process.exit(1)');
  await buildStaleConsole(root);
  write(root, 'web/index.html', 'two');
  await assert.rejects(buildStaleConsole(root), /the bundler ended with 1/);
  rmSync(join(root, 'node_modules'), { recursive: true });
  await buildStaleConsole(root);
  assert.equal(page(root), 'built of one');
});

test("a failed build leaves the console unchanged and logs the bundler's output", async (t) => {
  const root = checkout(t, { ...bundler, 'web/index.html': 'one' });
  const { lines, log } = logged();
  await buildConsoleInBackground({ root, log }).done;
  write(root, 'web/index.html', 'broken');
  await buildConsoleInBackground({ root, log }).done;
  assert.equal(page(root), 'built of one');
  assert.match(lines.at(-1)!, /^warn: The console could not be built: .*line 1: this is broken$/s);
  assert.equal(existsSync(join(root, `dist/.console-${process.pid}`)), false);
});

test('an aborted build ends at once and logs nothing', async (t) => {
  const root = checkout(t, { ...bundler, 'web/index.html': 'endless' });
  const { lines, log } = logged();
  const build = buildConsoleInBackground({ root, log });
  setTimeout(() => build.stop(), 50);
  await build.done;
  assert.ok(!lines.some((line) => line.startsWith('warn')), lines.join('\n'));
  assert.equal(existsSync(join(root, 'web/dist')), false);
});

test('without sources nothing is built; a missing bundler is logged', async (t) => {
  const published = logged();
  await buildConsoleInBackground({ root: checkout(t, { 'web/dist/index.html': 'p' }), log: published.log })
    .done;
  assert.deepEqual(published.lines, []);
  const bare = logged();
  await buildConsoleInBackground({ root: checkout(t, { 'web/index.html': 'one' }), log: bare.log }).done;
  assert.deepEqual(bare.lines, [
    'warn: The console is not built: its bundler is not installed (npm ci installs it)',
  ]);
});

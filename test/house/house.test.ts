import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { foldersWithoutRule } from '../../scripts/house/counts.ts';
import { APP_SUBJECTS, IMPORT_RULES } from '../../scripts/house/import-table.ts';
import { readModules } from '../../scripts/house/modules.ts';
import { allTests, LONG, selectTests } from '../../scripts/test/selection.ts';
import { CONSOLE_INPUTS } from '../../src/http/console/build.ts';

const ROOT = join(import.meta.dirname, '../..');
const foldersIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

test('every folder of src has a line in the import table, and every line a folder', () => {
  assert.deepEqual(foldersWithoutRule(), []);
});

test('every subject of src/app has its place in the order, once', () => {
  assert.deepEqual(APP_SUBJECTS.flat().toSorted(), foldersIn('src/app').toSorted());
});

test('the release in package.json has the newest section of the changelog, and each release has one section', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const sections = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)( \(unreleased\))?$/gm)].map(
    ([, name]) => name!,
  );
  assert.equal(sections[0], version);
  const inOrder = sections.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  assert.deepEqual([...new Set(inOrder)], sections);
});

test('the import table allows only folders and files that exist', () => {
  for (const { may, types = [] } of Object.values(IMPORT_RULES))
    for (const name of [...may, ...types]) assert.ok(existsSync(join(ROOT, 'src', name)), name);
});

test('the files that the pages for contributors name exist', () => {
  const pages = [
    'CONTRIBUTING.md',
    'docs/architecture.md',
    ...globSync('docs/decisions/*.md', { cwd: ROOT }),
  ];
  for (const page of pages) {
    const text = readFileSync(join(ROOT, page), 'utf8');
    for (const [, quoted] of text.matchAll(/`([^`\s]+)`/g)) {
      // Skips quoted texts that are not paths: placeholders, patterns, settings, and file names without a folder.
      if (!/^[\w.-]+(\/[\w.-]+)+\/?$/.test(quoted!) || /NNNN|^[a-z]+:|^v\d/.test(quoted!)) continue;
      const [top] = quoted!.split('/') as [string];
      if (top === 'dist') continue; // made by a build, and may be of an earlier one
      const known = existsSync(join(ROOT, top)) ? '' : existsSync(join(ROOT, 'src', top)) ? 'src' : undefined;
      if (known === undefined) continue;
      assert.ok(existsSync(join(ROOT, known, quoted!)), `${page}: ${quoted} is not there`);
    }
  }
});

test('decisions are at most 200 words each and 9,000 in all', () => {
  const words = globSync('docs/decisions/*.md', { cwd: ROOT }).map((page) => ({
    page,
    count: readFileSync(join(ROOT, page), 'utf8').split(/\s+/).filter(Boolean).length,
  }));
  for (const { page, count } of words) assert.ok(count <= 200, `${page}: ${count} words`);
  assert.ok(words.reduce((sum, { count }) => sum + count, 0) <= 9000);
});

test('a test file is quick or long by its name alone, and the long ones are few', () => {
  const every = globSync('{src,bench,scripts,web,test,python,deploy,docs}/**/*.{test,spec}.*', { cwd: ROOT });
  assert.deepEqual(every.toSorted(), allTests(ROOT), 'a test file that no run has');
  const names = every.map((file) => basename(file).replace(LONG, '.test.ts'));
  // A further word between two full stops would be another way to leave a file out.
  for (const name of names) assert.match(name, /^[\da-z-]+(\.routes)?\.test\.ts$/);
  const { files, leftOut } = selectTests([], ROOT);
  assert.ok(leftOut > 0 && leftOut < files.length / 8, `${leftOut} long files beside ${files.length}`);
});

test('npm test has quick tests of every room, of every operation, of tenants and of kills', () => {
  const { files } = selectTests([], ROOT);
  const rooms = new Set(allTests(ROOT).map(roomOf));
  assert.deepEqual([...new Set(files.map(roomOf))].toSorted(), [...rooms].toSorted());
  for (const file of [
    'test/contract/operations.test.ts', // each operation and each of its answers
    'test/contract/bad-query.test.ts', // what is of another account or environment
    'src/store/connection/row-security.test.ts',
    'test/fault/killed-ingest.test.ts',
    'test/fault/killed-rescoring.test.ts',
    'test/fault/monitoring-state.test.ts',
    'test/fault/delivery.test.ts',
    'src/cube/crash.test.ts',
  ])
    assert.ok(files.includes(file), `${file} is left out of npm test`);
});

/** A folder of src or test, a subject of src/app, or else the folder at the root. */
function roomOf(file: string): string {
  const [top, room, subject] = file.split('/') as [string, string, string];
  if (top !== 'src' && top !== 'test') return top;
  return room === 'app' ? `${top}/${room}/${subject}` : `${top}/${room}`;
}

test('the console is built again when any file changes that it imports', () => {
  const modules = new Map(readModules(CONSOLE_INPUTS).map((module) => [module.path, module]));
  const reached = new Set(
    [...modules.keys()].filter((path) => path.startsWith('web/') && !/\.test\.tsx?$/.test(path)),
  );
  for (const path of reached) for (const imported of modules.get(path)?.imports ?? []) reached.add(imported);
  const isInput = (path: string): boolean =>
    CONSOLE_INPUTS.some((input) => path === input || path.startsWith(`${input}/`));
  assert.ok(reached.size > 100, `${reached.size} files`);
  assert.deepEqual(
    [...reached].filter((path) => !isInput(path)),
    [],
  );
});

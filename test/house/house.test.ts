import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { foldersWithoutRule } from '../../scripts/house/counts.ts';
import { APP_SUBJECTS, IMPORT_RULES } from '../../scripts/house/import-table.ts';

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

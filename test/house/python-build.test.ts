import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

test('what builds the Python package is pinned in one list, which its page and CI install', () => {
  const list = read('python/requirements-build.txt')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  for (const line of list) assert.match(line, /^[\w-]+==[\d.]+$/);
  const [, required] = /^requires = \["(.+)"\]$/m.exec(read('python/pyproject.toml'))!;
  assert.ok(list.includes(required!), `${required} is not in the list`);
  for (const page of ['python/README.md', '.ci/run']) {
    const text = read(page);
    assert.ok(text.includes('-r python/requirements-build.txt'), page);
    // A line that installs one of them by name could drift from the list.
    for (const line of text.split('\n').filter((each) => /\bpip"? install\b/.test(each)))
      for (const name of list.map((each) => each.split('==')[0]!))
        assert.ok(!new RegExp(String.raw`\s${name}\b(?!/)`).test(line), `${page}: ${line}`);
  }
});

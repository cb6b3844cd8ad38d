import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isBuildStale } from './stale.ts';

test('npm pack builds what is missing or older than its sources', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'gw-stale-'));
  t.after(() => rmSync(root, { recursive: true }));
  const write = (path: string, second: number): void => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), '');
    utimesSync(join(root, path), second, second);
  };
  write('src/store/main.ts', 1000);
  utimesSync(join(root, 'src/store'), 1000, 1000);
  assert.ok(isBuildStale(root), 'a fresh clone');
  write('dist/main.js', 2000);
  assert.ok(isBuildStale(root), 'a build that was interrupted');
  write('dist/third-party-licences.txt', 2000);
  assert.equal(isBuildStale(root), false);
  write('src/store/main.ts', 3000);
  assert.ok(isBuildStale(root), 'a source that was edited');
});

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { selectTests, tellLeftOut } from './selection.ts';

describe('which test files a run has', () => {
  const root = mkdtempSync(join(tmpdir(), 'groundwatch-selection-'));
  after(() => rmSync(root, { recursive: true }));
  const files = [
    'bench/accuracy/sets.long.test.ts',
    'scripts/test/ports.test.ts',
    'src/geo/area.test.ts',
    'src/geo/area.ts',
    'test/fault/kills.long.test.ts',
    'test/fault/once.test.ts',
    'web/map/bounds.test.ts',
  ];
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), '');
  }
  const isTest = (file: string): boolean => file.endsWith('.test.ts');

  test('without arguments all but the long ones, and the summary says how many those are', () => {
    const selection = selectTests([], root);
    assert.deepEqual(selection.files, [
      'scripts/test/ports.test.ts',
      'src/geo/area.test.ts',
      'test/fault/once.test.ts',
      'web/map/bounds.test.ts',
    ]);
    assert.equal(tellLeftOut(selection), 'left out: 2 long test files of 6; npm test -- --all runs them too');
  });

  test('with --all every one, and the summary says nothing', () => {
    const selection = selectTests(['--all'], root);
    assert.deepEqual(selection, { files: files.filter(isTest), leftOut: 0 });
    assert.equal(tellLeftOut(selection), '');
  });

  test('the given files and patterns, sorted, long or not; one that is missing too', () => {
    const { files: asked, leftOut } = selectTests(
      ['test/fault/*.test.ts', 'src/geo/area.test.ts', 'src/geo/gone.test.ts'],
      root,
    );
    assert.deepEqual(asked, [
      'src/geo/area.test.ts',
      'src/geo/gone.test.ts',
      'test/fault/kills.long.test.ts',
      'test/fault/once.test.ts',
    ]);
    assert.equal(leftOut, 0);
  });

  test('another option, or --all beside files, is refused', () => {
    for (const args of [['--al'], ['--watch', 'src/geo/area.test.ts'], ['--all', 'src/geo/area.test.ts']])
      assert.throws(() => selectTests(args, root), {
        message: `expected no argument, --all alone, or test files; got ${args.join(' ')}`,
      });
  });
});

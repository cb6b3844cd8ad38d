import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { NOTE } from './reporter.ts';

const TESTS = `import { describe, test } from 'node:test';
describe('a suite', () => test('a test that prints the like', (t) => t.diagnostic('tests 5')));
test('a test that fails', () => { throw new Error('on purpose'); });
`;

/** Runs two tests with the reporter. @returns the lines of its output */
function linesWith(note: string | undefined): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-reporter-'));
  try {
    writeFileSync(join(folder, 'two.mjs'), TESTS);
    const reporter = pathToFileURL(join(import.meta.dirname, 'reporter.ts')).href;
    // Without the variable by which Node notices that a test runs a test.
    const { NODE_TEST_CONTEXT: _, [NOTE]: __, ...env } = process.env;
    const { stdout } = spawnSync(
      process.execPath,
      ['--test', `--test-reporter=${reporter}`, join(folder, 'two.mjs')],
      { env: { ...env, ...(note !== undefined && { [NOTE]: note }) }, encoding: 'utf8' },
    );
    return stdout.split('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('the note stands once, at the head of the summary, after all tests', () => {
  const lines = linesWith('left out: 3 long test files');
  const notes = lines.flatMap((line, at) => (line.includes('left out') ? at : []));
  assert.deepEqual(notes, [lines.indexOf('ℹ tests 2') - 1], lines.join('\n'));
  assert.equal(lines[notes[0]!], 'ℹ left out: 3 long test files');
  assert.ok(notes[0]! > lines.findIndex((line) => line.startsWith('✖ a test that fails')));
  assert.ok(lines.includes('ℹ fail 1') && lines.some((line) => line.includes('Error: on purpose')));
});

test('nothing is added when nothing was left out', () => {
  for (const note of ['', undefined]) {
    const lines = linesWith(note);
    assert.ok(lines.includes('ℹ tests 2'), lines.join('\n'));
    assert.ok(!lines.some((line) => line === 'ℹ ' || line.includes('left out')));
  }
});

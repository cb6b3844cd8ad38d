import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOptions } from './options.ts';

test('the words of the command line', () => {
  const folder = import.meta.dirname;
  assert.deepEqual(readOptions(['noise', '--data', folder, '--json', '--seed', '12'], ['noise', 'planted']), {
    names: ['noise'],
    data: folder,
    json: true,
    plots: false,
    seed: 12,
  });
});

test('what is wrong is named', () => {
  const read =
    (...words: string[]): (() => unknown) =>
    () =>
      readOptions(words, ['noise']);
  assert.throws(read('nosie'), { name: 'RangeError', message: 'There is no set nosie: noise' });
  assert.throws(read('--jason'), /RangeError: .*'--jason'.* --data FOLDER, --seed NUMBER, --json and --plot/);
  assert.throws(read('--data', '/nowhere/at/all'), /--data: .* there is no folder \/nowhere\/at\/all/);
  assert.throws(read('--data', import.meta.filename), /--data: .* there is no folder/);
  assert.throws(read('--seed', '-3'), RangeError);
  assert.throws(read('--seed', '1.5'), /--seed: expected a whole number from 0 to 2147483647, got 1.5/);
});

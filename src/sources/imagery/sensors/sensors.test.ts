import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SENSORS } from './sensors.ts';

for (const { name, files } of SENSORS)
  test(`the patterns of ${name} have the groups that the reader needs`, () => {
    assert.ok(files.length > 0);
    for (const { file, folder } of files)
      for (const group of ['id', 'place', 'taken', 'layer'])
        assert.match(`${file.source} ${folder?.source}`, new RegExp(String.raw`\(\?<${group}>`));
  });

test('no two sensors have the same name', () => {
  assert.equal(new Set(SENSORS.map(({ name }) => name)).size, SENSORS.length);
});

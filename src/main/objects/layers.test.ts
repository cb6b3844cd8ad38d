import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { InvalidInput } from '../../base/errors.ts';
import { openLayers } from './layers.ts';

test('installed layers of a data folder are not left behind for a bucket', async (t) => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'groundwatch-open-layers-'));
  t.after(() => rm(dataFolder, { recursive: true }));
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b', sessionToken: undefined };
  const place = { endpoint: 'http://127.0.0.1:1', bucket: 'kept', prefix: '', region: 'us-east-1' };
  const config = {
    dataFolder,
    caFile: undefined,
    objectsFrom: undefined,
    objects: { ...place, credentials, cacheBytes: 1 },
  };
  await openLayers(config).close();
  const catalogue = join(dataFolder, 'layers/catalogue.json');
  await mkdir(join(dataFolder, 'layers'));
  await writeFile(catalogue, '{}');
  assert.throws(
    () => openLayers(config),
    (error: Error) =>
      error instanceof InvalidInput &&
      error.message.startsWith(
        `GROUNDWATCH_OBJECTS: expected a data folder without installed layers, got ${catalogue};`,
      ),
  );
  assert.equal(openLayers({ ...config, objects: undefined }).home.catalogue.path, catalogue);
});

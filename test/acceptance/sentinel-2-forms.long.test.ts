import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Collection, Scene } from '../../src/client/index.ts';
import { withoutGdal } from '../fixtures/gdal.ts';
import {
  FORMS_BOX,
  FORMS_PRODUCT,
  type Sentinel2Forms,
  sentinel2Forms,
} from '../fixtures/sentinel-2-forms.ts';
import { sharedService, type TestService } from '../fixtures/service.ts';
import { type StacServer, stacServer } from '../fixtures/stac-server.ts';
import { zipFixture } from '../fixtures/zip-fixture.ts';

/** Together they need all bands. */
const METRICS = ['mndwi', 'nbr', 'ndvi'] as const;

describe('a Sentinel-2 scene gives the same samples in every form', { skip: withoutGdal }, () => {
  let service: TestService;
  let server: StacServer;
  let folder: string;
  let forms: Sentinel2Forms;
  let key: string;
  before(async () => {
    server = await stacServer();
    folder = mkdtempSync(join(tmpdir(), 'groundwatch-forms-'));
    writeFileSync(join(folder, 'ca.pem'), server.caPem);
    forms = await sentinel2Forms(folder);
    for (const [path, bytes] of forms.served) server.files.set(path, bytes);
    service = await sharedService();
    await service.cli('accounts', 'create', 'forms');
    key = String((await service.cli('keys', 'create', '--account', 'forms', '--scopes', 'all'))['key']);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const get = async <T>(path: string): Promise<T> => {
    const answer = await service.call(path, { key });
    assert.equal(answer.status, 200, answer.text);
    return answer.json() as T;
  };
  /** Ingests one form, and returns what the service says of it: digests and shares of its metrics, and pictures. */
  const ingested = async (form: string, kind: 'scenes' | 'stac', where: string) => {
    const into = ['--collection', form, '--account', 'forms', '--metrics', METRICS.join(','), '--no-wait'];
    const settings = {
      GROUNDWATCH_SOURCE_ALLOW: '127.0.0.0/8,::1/128',
      GROUNDWATCH_CA_FILE: join(folder, 'ca.pem'),
    };
    const box = FORMS_BOX.join(',');
    const report = await service.cliWith(settings, 'ingest', kind, where, '--bbox', box, ...into);
    assert.equal(report['added'], 1, JSON.stringify(report));
    const { collections } = await get<{ collections: Collection[] }>('/v1/collections');
    const its = collections
      .filter(({ name }) => name === form)
      .toSorted((a, b) => (a.metric < b.metric ? -1 : 1));
    assert.deepEqual(
      its.map(({ metric }) => metric),
      METRICS,
    );
    const metrics = [];
    let shown = '';
    for (const { id, metric, bounds } of its) {
      const { scenes } = await get<{ scenes: Scene[] }>(`/v1/collections/${id}/scenes`);
      const [scene] = scenes as [Scene];
      const { key: pass, sha256, clear_fraction: clear, true_colour: pictured } = scene;
      metrics.push({ metric, bounds, pass, sha256, clear, pictured });
      shown = scene.id;
    }
    const pictures = [];
    for (const query of ['', '?colours=true']) {
      const tile = await service.call(`/v1/tiles/scenes/${shown}/14/8875/5826${query}`, { key });
      assert.equal(tile.status, 200, tile.text);
      pictures.push(tile.bytes.toString('base64'));
    }
    return { metrics, pictures };
  };

  test('as .SAFE folder and archive, and by STAC as JPEG 2000 and as GeoTIFF, with the offset or after it', async () => {
    for (const [name, bytes] of Object.entries(forms.safe)) {
      mkdirSync(dirname(join(folder, 'safe', name)), { recursive: true });
      writeFileSync(join(folder, 'safe', name), bytes);
    }
    const expected = await ingested('safe', 'scenes', join(folder, 'safe'));
    const { metrics, pictures } = expected;
    assert.equal(new Set(metrics.map(({ sha256 }) => sha256)).size, METRICS.length);
    assert.ok(metrics.every(({ clear, pictured }) => clear > 0.5 && clear < 0.9 && pictured));
    assert.ok(metrics.every(({ pass }) => pass === 'sentinel-2a_2024-06-01_122'));
    assert.ok(pictures.every((picture) => picture.length > 2000));

    const archive = join(folder, `${FORMS_PRODUCT}.SAFE.zip`);
    writeFileSync(archive, zipFixture(forms.safe, true));
    assert.deepEqual(await ingested('archive', 'scenes', archive), expected);
    for (const [form, item] of Object.entries(forms.items)) {
      server.items.splice(0, Infinity, item(server.base) as Record<string, unknown>);
      const found = await ingested(form, 'stac', `${server.base}/v1/collections/s2`);
      assert.deepEqual(found, expected, form);
    }
    assert.ok(server.asked.some((line) => line.endsWith('.jp2')));
  });
});

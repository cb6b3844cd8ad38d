import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { LayerEnvironment } from '../../app/layers/layer-shelf.ts';
import { addLayer } from '../../app/layers/add-layer.ts';
import { listLayers, removeLayer } from '../../app/layers/manage-layers.ts';
import type { Environment } from '../../app/owner.ts';
import { FolderLayerShelf } from './folder-layer-shelf.ts';
import { LayerStore } from './layer-store.ts';
import { tiffFixture } from '../../../test/fixtures/tiff-fixture.ts';

const ENVIRONMENTS: readonly Environment[] = ['sandbox', 'staging', 'production'];
/** Longitude and latitude of the centre of the four pixels. */
const [LNG, LAT] = [Float64Array.of(11), Float64Array.of(49)];

function bench(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'groundwatch-homes-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const put = (value: number): string => {
    const path = join(home, `${value}.tif`);
    writeFileSync(
      path,
      tiffFixture({ width: 2, height: 2, bands: [Array<number>(4).fill(value)], origin: [10, 50] }),
    );
    return path;
  };
  const shipped = join(home, 'shipped.json');
  put(7);
  writeFileSync(
    shipped,
    JSON.stringify({
      layers: [
        {
          layer: 'elevation',
          version: 'shipped',
          unit: 'm',
          returnPeriodYears: null,
          resolutionM: 500_000,
          date: '2020-01-01',
          licence: 'public domain',
          source: 'made up',
          file: '7.tif',
          band: 0,
          scale: 1,
          offset: 0,
          nodata: null,
          interpolation: 'bilinear',
        },
      ],
    }),
  );
  const folder = join(home, 'layers');
  const deps = {
    clock: { now: () => Date.parse('2026-11-22T12:00:00Z') },
    shelf: new FolderLayerShelf({ folder, catalogues: [shipped] }),
  };
  return {
    deps,
    catalogue: join(folder, 'catalogue.json'),
    add: (value: number, environment?: LayerEnvironment, more: { replace?: boolean; layer?: string } = {}) =>
      addLayer(deps, {
        path: put(value),
        band: 0,
        nodata: null,
        layer: 'elevation',
        version: 'v1',
        environment,
        ...more,
      }),
    open: async () => {
      const store = await LayerStore.open({ catalogues: [shipped], folder });
      t.after(() => store.close());
      return store;
    },
  };
}

/** Sampled values by environment and version. */
async function sampled(store: LayerStore): Promise<Record<string, Record<string, number>>> {
  const answers: Record<string, Record<string, number>> = {};
  for (const environment of ENVIRONMENTS) {
    const snapshot = store.snapshot(environment);
    answers[environment] = {};
    for (const card of snapshot.cards('elevation')) {
      const [sample] = await snapshot.sample(card, LNG, LAT);
      assert.ok(sample!.ok);
      answers[environment][card.version] = sample!.value;
    }
  }
  return answers;
}

test('a layer serves only its environment, by default production; shipped layers serve all', async (t) => {
  const { add, open } = bench(t);
  const first = await add(1);
  assert.equal(first.environment, 'production');
  await add(2, 'sandbox');
  const store = await open();
  assert.deepEqual(await sampled(store), {
    sandbox: { v1: 2, shipped: 7 },
    staging: { shipped: 7 },
    production: { v1: 1, shipped: 7 },
  });
});

test('layers of a catalogue without environments serve all environments, and can be added to', async (t) => {
  const { add, open, catalogue, deps } = bench(t);
  await add(1, 'all');
  const old = readFileSync(catalogue, 'utf8');
  assert.match(old, /"environment": "all"/);
  writeFileSync(catalogue, old.replace(/\s*"environment": "all",/, ''));
  const everywhere = { v1: 1, shipped: 7 };
  const all = { sandbox: everywhere, staging: everywhere, production: everywhere };
  assert.deepEqual(await sampled(await open()), all);
  // Adding the same layer again without an environment, and replacing it, both apply to the existing layer.
  const again = await add(1);
  assert.deepEqual([again.environment, again.added], ['all', false]);
  assert.equal((await add(3, undefined, { replace: true })).environment, 'all');
  // An environment's own layer takes precedence over one for all environments.
  await add(4, 'staging');
  assert.deepEqual(await sampled(await open()), {
    sandbox: { v1: 3, shipped: 7 },
    staging: { v1: 4, shipped: 7 },
    production: { v1: 3, shipped: 7 },
  });
  await assert.rejects(
    removeLayer(deps, { layer: 'elevation', version: 'v1', environment: 'production' }),
    /no layer elevation of version v1 is installed for production/,
  );
  await removeLayer(deps, { layer: 'elevation', version: 'v1' });
  const { installed } = await listLayers(deps);
  assert.deepEqual(
    installed.map(({ environment }) => environment),
    ['staging'],
  );
  assert.deepEqual((await listLayers(deps, 'production')).installed, []);
});

test('a snapshot stays the same object until something changes for its environment; its state depends on its content', async (t) => {
  const { add, open, deps } = bench(t);
  const store = await open();
  const before = store.snapshot('production');
  assert.equal(store.snapshot('sandbox'), before, 'nothing tells them apart');
  const state = before.state(['elevation']);
  await add(2, 'sandbox');
  await store.reload();
  assert.equal(store.snapshot('production'), before);
  assert.equal(store.snapshot('staging'), before);
  const sandbox = store.snapshot('sandbox');
  assert.notEqual(sandbox, before);
  assert.notEqual(sandbox.state(['elevation']), state);
  assert.equal(sandbox.state(['hand']), before.state(['hand']), 'another layer is not touched');
  // The same content in a new file gives the same state.
  await add(2, 'sandbox', { replace: true });
  await store.reload();
  assert.equal(store.snapshot('sandbox').state(['elevation']), sandbox.state(['elevation']));
  await add(3, 'sandbox', { replace: true });
  await store.reload();
  assert.notEqual(store.snapshot('sandbox').state(['elevation']), sandbox.state(['elevation']));
  await removeLayer(deps, { layer: 'elevation', version: 'v1', environment: 'sandbox' });
  await store.reload();
  assert.equal(store.snapshot('sandbox').state(['elevation']), state);
});

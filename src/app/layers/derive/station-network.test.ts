import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { FolderLayerShelf } from '../../../sources/layers/folder-layer-shelf.ts';
import { LayerStore } from '../../../sources/layers/layer-store.ts';
import { DisplacementCsvReader } from '../../../sources/records/displacement-csv.ts';
import { derivePointDisplacement } from './derive-displacement-points.ts';
import { movementBetween, type NetworkValue } from './station-network.ts';

const SHARED = join(import.meta.dirname, '../../../../../shared/data');

function derivation(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'groundwatch-network-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const options = { folder: join(home, 'layers'), catalogues: [] };
  const deps = {
    clock: { now: () => Date.parse('2026-11-21T12:00:00Z') },
    shelf: new FolderLayerShelf(options),
    displacementPoints: new DisplacementCsvReader(),
  };
  const run = (path: string, more: object = {}) =>
    derivePointDisplacement(deps, { path, version: 'v1', ...more });
  const sample = async (layer: string, lat: number, lng: number): Promise<number> => {
    const store = await LayerStore.open(options);
    const snapshot = store.snapshot('production');
    const card = snapshot.cards(layer)[0];
    if (card === undefined) return Number.NaN;
    const [found] = await snapshot.sample(card, Float64Array.of(lng), Float64Array.of(lat));
    store.close();
    return found!.ok ? found!.value : Number.NaN;
  };
  const put = (text: string): string => {
    writeFileSync(join(home, 'p.csv'), text);
    return join(home, 'p.csv');
  };
  return { run, sample, put };
}

test('the error of a station grows with distance, and values blend between two stations', () => {
  const station = (lng: number, velocity: number) => ({
    x: lng,
    y: 0,
    lat: 0,
    lng,
    velocity,
    error: 0.3,
    acceleration: Number.NaN,
  });
  const at = (lng: number): NetworkValue => {
    const into = { velocity: 0, error: 0, acceleration: 0 };
    movementBetween([station(0, -10), station(0.04, -2)], 5, { lat: 0, lng }, into);
    return into;
  };
  assert.ok(Math.abs(at(0).velocity + 10) < 0.3 && Math.abs(at(0).error - 0.3) < 1e-9);
  const between = at(0.02);
  assert.ok(between.velocity < -2 && between.velocity > -10);
  assert.ok(at(-0.02).error > at(-0.01).error && at(-0.01).error > at(0).error);
  assert.ok(Number.isNaN(at(-0.05).velocity) && Number.isNaN(between.acceleration));
});

test('velocities far apart are points of influence; close points stay cells', async (t) => {
  const { run, sample, put } = derivation(t);
  const head = 'lat,lon,velocity,velocity_error\n';
  const wide = await run(put(`${head}40,0,-12,0.5\n60,90,1,0.5\n`));
  assert.deepEqual([wide.reachKm, wide.points], [5, 2]);
  assert.ok(Math.abs((await sample('displacement-velocity', 40.01, 0)) + 12) < 0.01);
  assert.ok((await sample('velocity-error', 40.03, 0)) > 2); // 3.3 km off a station that sinks fast
  assert.ok(Number.isNaN(await sample('displacement-velocity', 40.1, 0)));
  assert.ok(Number.isNaN(await sample('velocity-gradient', 40.01, 0)));
  const close = await run(put(`${head}40,0,-12,0.5\n40.001,0,-12,0.5\n`), { version: 'v2' });
  assert.equal(close.reachKm, undefined);
  await assert.rejects(run(put(`${head}40,0,-12,0.5\n`), { reachKm: 0 }), /reach 0: expected 0.1 to 100 km/);
});

const ALPS = join(SHARED, 'alps-gnss-velocity/velocity.csv');

test(
  'the network of the Alps is installed without a cell size, and answers at its stations (Sanchez et al. 2018)',
  { skip: existsSync(ALPS) ? false : `${ALPS} is absent` },
  async (t) => {
    const { run, sample } = derivation(t);
    const { points, reachKm, added } = await run(ALPS);
    assert.deepEqual([points, reachKm], [124, 5]);
    assert.ok(added.every(({ card }) => card.resolutionM === 5000));
    // AFAL moves up by 1.3 mm/yr.
    assert.ok(Math.abs((await sample('displacement-velocity', 46.527144, 12.174517)) - 1.3) < 0.1);
    assert.ok(Number.isNaN(await sample('displacement-velocity', 46.7, 12.174517)));
  },
);

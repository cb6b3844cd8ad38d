/**
 * CPU time per point to read layers at random points: a geographic grid, a projected grid (each reading projects the
 * point), and a map of 100 pieces. Budgets: 2 us for the geographic grid, 6 us for the projected grid. Also the CPU
 * time to check the checksum of a tile, which is spent when the tile is read from disk.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { addLayer } from '../src/app/layers/add-layer.ts';
import { FolderLayerShelf } from '../src/sources/layers/folder-layer-shelf.ts';
import { LayerStore } from '../src/sources/layers/layer-store.ts';
import { tiffFixture, type TiffFixture } from '../test/fixtures/tiff-fixture.ts';

const POINTS = 200_000;
const ROUNDS = 5;

const home = mkdtempSync(join(tmpdir(), 'groundwatch-bench-'));
try {
  const folder = join(home, 'layers');
  const deps = { clock: { now: () => Date.now() }, shelf: new FolderLayerShelf({ folder, catalogues: [] }) };
  const add = async (layer: string, fixture: TiffFixture): Promise<void> => {
    const path = join(home, `${layer}.tif`);
    writeFileSync(path, tiffFixture(fixture));
    await addLayer(deps, { path, band: 0, nodata: null, layer, version: 'bench' });
  };
  const plain = (width: number): TiffFixture => ({
    width,
    height: width,
    bands: [Array.from({ length: width * width }, (_, i) => i % 1000)],
  });
  await add('geographic', { ...plain(1000), origin: [10, 51], pixel: [0.001, 0.001] });
  await add('projected', {
    ...plain(1000),
    origin: [570_000, 5_650_000],
    pixel: [100, 100],
    keys: { 1024: 1, 1025: 1, 3072: 32632 },
  });
  for (let i = 0; i < 100; i++) {
    const origin = [10 + (i % 10) * 0.1, 51 - Math.floor(i / 10) * 0.1] as const;
    await add('pieces', { ...plain(100), origin, pixel: [0.001, 0.001] });
  }
  const store = await LayerStore.open({ catalogues: [], folder });
  const snapshot = store.snapshot('production');
  let state = 1;
  const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const lngs = Float64Array.from({ length: POINTS }, () => 10.05 + random() * 0.9);
  const lats = Float64Array.from({ length: POINTS }, () => 50.15 + random() * 0.8);
  for (const [layer, budget] of [
    ['geographic', 2],
    ['projected', 6],
    ['pieces', null],
  ] as const) {
    const card = snapshot.cards(layer)[0]!;
    let least = Infinity;
    for (let round = 0; round < ROUNDS; round++) {
      const before = process.cpuUsage();
      const samples = await snapshot.sample(card, lngs, lats);
      const { user, system } = process.cpuUsage(before);
      if (!samples.every(({ ok }) => ok)) throw new Error(`${layer}: a point has no value`);
      least = Math.min(least, (user + system) / POINTS);
    }
    const told = budget === null ? '' : `  (budget ${budget})`;
    console.log(`${layer.padEnd(12)} ${least.toFixed(2)} us a point${told}`);
    if (budget !== null && least > budget) process.exitCode = 1;
  }
  store.close();
  const tile = readFileSync(join(home, 'geographic.tif')).subarray(0, 131_072);
  const before = process.cpuUsage();
  for (let i = 0; i < 1000; i++) crc32(tile);
  const { user, system } = process.cpuUsage(before);
  console.log(
    `checksum     ${((user + system) / 1000).toFixed(0)} us a tile of int16 when it is read from disk`,
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { recordedActs } from '../../../test/fixtures/recorded-acts.ts';
import { tiffFixture } from '../../../test/fixtures/tiff-fixture.ts';
import { FolderLayerShelf } from '../../sources/layers/folder-layer-shelf.ts';
import { LayerStore } from '../../sources/layers/layer-store.ts';
import type { CliDeps } from '../command.ts';
import { COMMANDS } from '../commands.ts';
import { runCommand } from '../run.ts';

/** Installs maps in an empty folder; `add` returns what the command prints beside its result. */
async function layersIn(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'groundwatch-periods-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, 'layers');
  const layers = await LayerStore.open({ folder, catalogues: [] });
  t.after(() => layers.close());
  const deps = {
    clock: { now: () => Date.parse('2026-11-21T12:00:00Z') },
    shelf: new FolderLayerShelf({ folder, catalogues: [] }),
    layers,
    storage: recordedActs().storage,
  } as unknown as CliDeps;
  let count = 0;
  const add = async (
    years: number,
    depthAt: (x: number, y: number) => number,
    { layer = 'flood-depth', version = 'v1', west = 10 } = {},
  ): Promise<string> => {
    const path = join(home, `map-${++count}.tif`);
    const depths = Array.from({ length: 1200 }, (_, i) => depthAt(i % 40, Math.floor(i / 40)));
    writeFileSync(
      path,
      tiffFixture({
        width: 40,
        height: 30,
        kind: 'float32',
        bands: [depths],
        origin: [west, 50],
        pixel: [0.001, 0.001],
      }),
    );
    const err: string[] = [];
    const terminal = { out: () => undefined, err: (line: string) => err.push(line), version: '0' };
    const argv = ['layers', 'add', path, '--layer', layer, '--version', version];
    const code = await runCommand(
      COMMANDS,
      [...argv, '--return-period', String(years), '--date', '2020-01-01', '--licence', 'CC0'],
      terminal,
      { open: () => Promise.resolve(deps), serve: () => Promise.reject(new Error('not here')) },
    );
    assert.equal(code, 0, err.join('\n'));
    return err.join('\n');
  };
  return { add };
}

test('a flood map that is shallower than that of a shorter period is told of, from either side', async (t) => {
  const { add } = await layersIn(t);
  assert.equal(await add(10, () => 2), '');
  assert.match(
    await add(100, (x) => (x < 20 ? 0.5 : 3)),
    /flood-depth v1 \(100 years\) lies below the map of 10 years at \d{4} of 4096 places, by up to 1\.5 m: a rarer level cannot be lower\./,
  );
  // Of 20 and 200 years: only the neighbour is compared, so that one wrong map is named once.
  assert.match(await add(200, () => 1), /\(200 years\) lies below the map of 100 years .* by up to 2 m/);
  assert.match(await add(2, () => 2.5), /\(10 years\) lies below the map of 2 years at 4096 of 4096 places/);
});

test('nothing is told of maps in order, roundings, dry ground, other ground, versions and layers', async (t) => {
  const { add } = await layersIn(t);
  const notes = [
    await add(10, (x) => (x < 20 ? 0 : 1)),
    await add(50, (x) => (x < 20 ? 0 : 0.995)),
    await add(100, (x) => (x < 20 ? 0.3 : 1.2)),
    await add(500, () => 0.1, { version: 'v2' }),
    await add(500, () => 0.1, { layer: 'coastal-flood-depth' }),
    // One pixel of 1,200 is shallower.
    await add(1000, (x, y) => (x === 30 && y === 15 ? 1 : 1.3)),
    await add(2000, () => 0.1, { west: 20 }),
  ];
  assert.deepEqual(notes, Array(7).fill(''));
});

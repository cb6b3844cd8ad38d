import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordedActs } from '../../../test/fixtures/recorded-acts.ts';
import { tiffFixture } from '../../../test/fixtures/tiff-fixture.ts';
import { FolderLayerShelf } from '../../sources/layers/folder-layer-shelf.ts';
import type { CliDeps } from '../command.ts';
import { COMMANDS } from '../commands.ts';
import { runCommand } from '../run.ts';

test('a flood map in centimetres is converted or confirmed, and what was read is printed', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'groundwatch-units-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const path = join(home, 'flcm100.tif');
  // 600 x 400 pixels: every 16th one is sampled. -9999 lies between depths of 1 to 160 cm.
  const depths = Array.from({ length: 240_000 }, (_, i) => (i % 7 === 0 ? -9999 : (i * 31) % 161));
  writeFileSync(
    path,
    tiffFixture({
      width: 600,
      height: 400,
      kind: 'int16',
      bands: [depths],
      origin: [10, 50],
      pixel: [0.001, 0.001],
    }),
  );
  const shelf = new FolderLayerShelf({ folder: join(home, 'layers'), catalogues: [] });
  const clock = { now: () => Date.parse('2026-11-21T12:00:00Z') };
  const deps = { clock, storage: recordedActs().storage, shelf } as unknown as CliDeps;
  const add = async (...more: readonly string[]) => {
    const [out, err]: [string[], string[]] = [[], []];
    const words =
      'layers add --layer flood-depth --return-period 100 --nodata=-9999 --date 2020-01-01 --licence x';
    const code = await runCommand(
      COMMANDS,
      [...words.split(' '), path, ...more],
      { out: (line: string) => out.push(line), err: (line: string) => err.push(line), version: '0' },
      { open: () => Promise.resolve(deps), serve: () => Promise.reject(new Error('not here')) },
    );
    return { code, out: out.join('\n'), err: err.join('\n') };
  };

  const refused = await add('--version', 'bad');
  assert.equal(refused.code, 2);
  assert.match(refused.err, /size is 8\d in the median \(5 %: \d+, 95 %: 15\d; 0 left out\).*--unit .*cm/);

  const converted = await add('--version', 'cm', '--unit', 'cm');
  assert.match(
    converted.out,
    /flood-depth cm \(100 years\): installed, .*; values 0\.01 to 1\.6, median 0\.\d+ \[m\]/,
  );
  const [layer] = await shelf.installed();
  assert.deepEqual([layer!.card.unit, layer!.pieces[0]!.scale], ['m', 0.01]);

  const scaled = await add('--version', 'scaled', '--unit', 'cm', '--scale', '0.1');
  assert.match(scaled.out, /values 0\.001 to 0\.16, /);

  const kept = await add('--version', 'kept', '--keep-doubtful', '--json');
  const { values } = JSON.parse(kept.out) as { values: Record<string, unknown> };
  assert.deepEqual([values['lowest'], values['highest'], values['unit']], [1, 160, 'm']);
  assert.ok(Math.abs(Number(values['median']) - 80) < 5, String(values['median']));
});

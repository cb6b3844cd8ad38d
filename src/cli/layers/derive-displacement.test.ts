import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { recordedActs } from '../../../test/fixtures/recorded-acts.ts';
import { readDatesCsv } from '../../sources/imagery/dates-csv.ts';
import { DisplacementCsvReader } from '../../sources/records/displacement-csv.ts';
import { FolderLayerShelf } from '../../sources/layers/folder-layer-shelf.ts';
import { GeoTiffStackReader } from '../../sources/imagery/geotiff-stack.ts';
import { LayerStore } from '../../sources/layers/layer-store.ts';
import { tiffFixture } from '../../../test/fixtures/tiff-fixture.ts';
import type { CliDeps } from '../command.ts';
import { COMMANDS } from '../commands.ts';
import { runCommand } from '../run.ts';

function bench(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'groundwatch-cli-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const shelf = new FolderLayerShelf({ folder: join(home, 'layers'), catalogues: [] });
  const stacks = new GeoTiffStackReader();
  const run = async (...argv: string[]) => {
    const layers = await LayerStore.open({ folder: join(home, 'layers'), catalogues: [] });
    const [out, err]: [string[], string[]] = [[], []];
    const deps = {
      clock: { now: () => Date.parse('2026-11-21T12:00:00Z') },
      storage: recordedActs().storage,
      shelf,
      layers,
      stacks: { open: (path: string) => stacks.open(path), readDates: readDatesCsv },
      displacementPoints: new DisplacementCsvReader(),
    } as unknown as CliDeps;
    const terminal = {
      out: (line: string) => out.push(line),
      err: (line: string) => err.push(line),
      version: '0',
    };
    const code = await runCommand(COMMANDS, argv, terminal, {
      open: () => Promise.resolve(deps),
      serve: () => Promise.reject(new Error('not here')),
    });
    layers.close();
    return { code, out, err: err.join('\n') };
  };
  const sample = async (lat: number, lng: number): Promise<Record<string, number | null>> => {
    const { out } = await run('layers', 'sample', '--lat', `${lat}`, '--lng', `${lng}`, '--json');
    const { samples } = JSON.parse(out[0]!) as { samples: { layer: string; value: number | null }[] };
    return Object.fromEntries(samples.map(({ layer, value }) => [layer, value]));
  };
  const put = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(home, name), content);
    return join(home, name);
  };
  return { run, sample, put };
}

const DERIVE = ['layers', 'derive', 'displacement', '--version', 'v1'] as const;

test('a stack becomes layers of the subsidence model, with the right values where the ground sinks', async (t) => {
  const { run, sample, put } = bench(t);
  // Twelve pixels of 0.001 degrees. Each column sinks 2 mm/yr faster than the column to its west. There is one band
  // per month for two years.
  const days = Array.from({ length: 24 }, (_, i) => new Date(Date.UTC(2020, i, 1)));
  const years = days.map((day) => (day.getTime() - days[0]!.getTime()) / 86_400_000 / 365.25);
  const stack = put(
    's.tif',
    tiffFixture({
      width: 4,
      height: 3,
      kind: 'float32',
      bands: years.map((year) => Array.from({ length: 12 }, (_, i) => -2 * (i % 4) * year)),
      origin: [10, 50],
      pixel: [0.001, 0.001],
    }),
  );
  const dates = put(
    'd.csv',
    ['band,date', ...days.map((day, i) => `${i + 1},${day.toISOString().slice(0, 10)}`)].join('\n'),
  );
  const { code, out, err } = await run(...DERIVE, '--stack', stack, '--dates', dates, '--json');
  assert.deepEqual([code, out.length], [0, 1], err);
  assert.match(err, /12 pixels have a velocity/);
  const said = await sample(49.9985, 10.0015);
  assert.ok(Math.abs(said['displacement-velocity']! + 2) < 0.01, `${said['displacement-velocity']}`);
  // The velocity changes by 2 mm/yr over 0.001 degrees of longitude, which are 71.6 m at 50 N.
  assert.ok(Math.abs(said['velocity-gradient']! - 2 / 71.6) < 0.001, `${said['velocity-gradient']}`);
  assert.ok(said['velocity-error']! > 0);
});

test('points are gridded into cells; wrong options are refused', async (t) => {
  const { run, sample, put } = bench(t);
  const points = put(
    'p.csv',
    'latitude,longitude,mean_velocity,mean_velocity_std\n50.00005,10.00005,-4,1\n50.0001,10.0001,-6,1\n50.01,10.02,3,0.5\n',
  );
  const { code, err } = await run(...DERIVE, '--points', points, '--cell', '50');
  assert.equal(code, 0, err);
  assert.match(err, /3 points in 2 cells/);
  assert.equal((await sample(50.00007, 10.00007))['displacement-velocity'], -5);
  assert.equal((await sample(50.005, 10.01))['displacement-velocity'], null);
  for (const [given, message] of [
    [['--points', points, '--stack', 's.tif'], /--stack does not go with --points/],
    [['--stack', 's.tif'], /--dates is required/],
    [['--stack', 's.tif', '--dates', 'd.csv', '--track=95,-10'], /--track: expected incidence from 0 to 90/],
    [
      ['--stack', 's.tif', '--dates', 'd.csv', '--second-stack', 't.tif'],
      /--track is required with --second-stack/,
    ],
  ] as const) {
    const refused = await run(...DERIVE, ...given);
    assert.equal(refused.code, 2, refused.err);
    assert.match(refused.err, message);
  }
  // In the form of EGMS L2b: movement along the line of sight, with the direction cosines of each point.
  const slant = put(
    'EGMS_L2b_088_0297_IW2_VV_2018_2022_1.csv',
    'pid,latitude,longitude,easting,northing,incidence_angle,los_east,los_north,los_up,mean_velocity,mean_velocity_std,acceleration\n' +
      '1,51,11,4391000,3098000,36.87,-0.6,0,0.8,-4,0.4,0.08\n',
  );
  const seen = await run(...DERIVE, '--replace', '--points', slant);
  assert.equal(seen.code, 0, seen.err);
  const vertical = await sample(51, 11);
  assert.equal(vertical['displacement-velocity'], -5);
  assert.equal(vertical['velocity-error'], 0.5);
  assert.ok(Math.abs(vertical['displacement-acceleration']! - 0.1) < 1e-7);
  const east = put('EGMS_L3_E47N19_100km_E_2020_2024_1.csv', 'pid,easting,northing,mean_velocity\n1,1,1,1\n');
  const eastward = await run(...DERIVE, '--points', east);
  assert.equal(eastward.code, 2);
  assert.match(eastward.err, /to the east and west; expected the vertical.*100km_U_2020_2024_1\.csv/);
  const far = put('far.csv', 'lat,lon,velocity\n0,0,1\n0,0.001,1\n0.001,0,1\n60,60,1\n');
  const tooWide = await run(...DERIVE, '--points', far);
  assert.equal(tooWide.code, 2);
  assert.match(tooWide.err, /give a larger --cell/);
});

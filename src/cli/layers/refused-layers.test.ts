import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordedActs } from '../../../test/fixtures/recorded-acts.ts';
import { FolderLayerShelf } from '../../sources/layers/folder-layer-shelf.ts';
import { GeoTiffStackReader } from '../../sources/imagery/geotiff-stack.ts';
import { PointsFileReader } from '../../sources/stations/points-file.ts';
import { tiffFixture, type TiffFixture, WGS84_KEYS } from '../../../test/fixtures/tiff-fixture.ts';
import type { CliDeps } from '../command.ts';
import { COMMANDS } from '../commands.ts';
import { runCommand } from '../run.ts';

const PLAIN: TiffFixture = {
  width: 40,
  height: 30,
  kind: 'float32',
  bands: [Array.from({ length: 1200 }, (_, i) => 5 + (i % 40))],
  origin: [10, 50],
  pixel: [0.001, 0.001],
};
/** Header fields that declare a raster of 40 GB. Its blocks are sparse and take no space in the file. */
const CLAIMS = {
  256: [4, [100_000]],
  257: [4, [100_000]],
  322: [4, [1024]],
  323: [4, [1024]],
  324: [4, Array<number>(98 * 98).fill(0)],
  325: [4, Array<number>(98 * 98).fill(0)],
} as const;

test('each kind of bad layer exits 2 with its name, and leaves catalogue and files unchanged', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'groundwatch-refused-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, 'layers');
  const stacks = new GeoTiffStackReader();
  const deps = {
    clock: { now: () => Date.parse('2026-11-21T12:00:00Z') },
    storage: recordedActs().storage,
    shelf: new FolderLayerShelf({ folder, catalogues: [] }),
    stacks: { open: (path: string) => stacks.open(path) },
    points: new PointsFileReader(),
  } as unknown as CliDeps;
  const run = async (words: string, file: string) => {
    const [out, err]: [string[], string[]] = [[], []];
    const terminal = {
      out: (line: string) => out.push(line),
      err: (line: string) => err.push(line),
      version: '0',
    };
    const code = await runCommand(COMMANDS, [...words.split(' '), file, '--json'], terminal, {
      open: () => Promise.resolve(deps),
      serve: () => Promise.reject(new Error('not here')),
    });
    return { code, out, err: err.join('\n') };
  };
  const put = (name: string, fixture: Partial<TiffFixture>): string => {
    writeFileSync(join(home, name), tiffFixture({ ...PLAIN, ...fixture }));
    return join(home, name);
  };
  const good = put('good.tif', {});
  const added = await run('layers add --layer elevation --version v1', good);
  assert.equal(added.code, 0, added.err);
  const state = (): readonly string[] => [
    readFileSync(join(folder, 'catalogue.json'), 'utf8'),
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort(),
  ];
  const before = state();

  const cut = put('cut.tif', { deflate: true });
  truncateSync(cut, 300);
  const rotated = [0.7, 0.7, 0, 10, 0.7, -0.7, 0, 50, 0, 0, 0, 0, 0, 0, 0, 1];
  const feet = '<GDALMetadata><Item name="UNITTYPE" sample="0" role="unittype">ft</Item></GDALMetadata>';
  const years = Array.from({ length: 19 }, () => PLAIN.bands[0]!);
  const csv = (name: string, text: string): string => {
    writeFileSync(join(home, name), text);
    return join(home, name);
  };
  const height = 'layers add --layer elevation --version bad';
  const depth = 'layers add --layer flood-depth --version bad --return-period';
  for (const [words, file, message] of [
    [height, put('plain.tif', { keys: null }), /plain\.tif has no reference system/],
    [height, put('feet.tif', { metadata: feet }), /elevation .* is in m; got ft/],
    [
      height,
      put('axis.tif', { keys: { ...WGS84_KEYS, 4099: 9003 } }),
      /elevation .* is in m; got US survey ft/,
    ],
    [
      'layers add --layer land-cover --version bad',
      put('N31_30_2020LC030.tif', { bands: [PLAIN.bands[0]!.map(() => 10)] }),
      /named as GlobeLand30 names its maps/,
    ],
    [
      'layers add --layer permanent-water --version bad',
      put('occurrence.tif', { bands: [PLAIN.bands[0]!.map((_, i) => (i === 0 ? 100 : 0))] }),
      /from 0 to 100; layer permanent-water .* can hold 0 to 1: recode it/,
    ],
    [`${height} --unit K`, good, /elevation .* is in m; got K/],
    [
      `${depth} 100`,
      put('cm.tif', { bands: [PLAIN.bands[0]!.map((_, i) => i % 161)] }),
      /cm\.tif holds values whose size is 75 in the median .*--keep-doubtful/,
    ],
    [`${height} --scale 1000`, good, /elevation .* check its unit/],
    [height, put('rotated.tif', { matrix: rotated }), /rotated\.tif is rotated/],
    [height, cut, /cut\.tif/],
    [
      height,
      put('claims.tif', { fields: CLAIMS }),
      /claims\.tif says that it has 100000 x 100000 pixels, 40\.\d GB/,
    ],
    [`${depth} 0`, good, /return period 0: expected 1 to/],
    [`${depth} 1e9`, good, /return period 1000000000: expected 1 to/],
    ['layers add --layer flood-depth --version bad', good, /--return-period must say/],
    [`${height} --return-period 100`, good, /has no return period/],
    [
      'layers derive gust --layer-version bad --maxima',
      put('short.tif', { bands: years }),
      /short\.tif has 19 bands/,
    ],
    [
      'layers derive gust --layer-version bad --records',
      csv('no.csv', 'station,lat\n'),
      /no\.csv, line 1: no observations below the column names/,
    ],
    [
      'layers derive gust --layer-version bad --records',
      csv('few.csv', 'station,lat,lng,year,gust\na,50,8,1990,30\na,50,8,1991,31\n'),
      /few\.csv has no station with 10 whole years/,
    ],
    [
      'layers derive gust --layer-version bad --maxima x.tif --records',
      good,
      /either --maxima .* or --records/,
    ],
    ['layers derive gust --layer-version bad --scale 2 --maxima', good, /--scale/],
  ] as const) {
    const { code, out, err } = await run(words, file);
    assert.deepEqual([code, out], [2, []], `${words} ${file}: ${err}`);
    assert.match(err, message);
    assert.deepEqual(state(), before, words);
  }
});

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { tiffFixture, type TiffFixture } from '../../../test/fixtures/tiff-fixture.ts';
import { AlertFolderReader } from './alert-folder.ts';

const LAYER: TiffFixture = { width: 3, height: 1, bands: [[0, 40, 255]], kind: 'uint8', nodata: '255' };

function folderOf(t: TestContext, files: Readonly<Record<string, Partial<TiffFixture>>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-alerts-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [file, fixture] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), tiffFixture({ ...LAYER, ...fixture }));
  }
  return folder;
}

const granule = (
  acquired: string,
  satellite: string,
  { tile = 'T10TEM', produced = '20220817T153514Z' } = {},
) => `OPERA_L3_DIST-ALERT-HLS_${tile}_${acquired}_${produced}_${satellite}_30_v1`;
const open = (folder: string) => new AlertFolderReader().openAlerts(folder);

test('granules in folders of their own are a stack of their loss layer, in order of time', async (t) => {
  const [late, early] = [granule('20220820T184921Z', 'L8'), granule('20220815T185931Z', 'S2A')];
  const folder = folderOf(t, {
    [`${late}/${late}_VEG-ANOM.tif`]: { bands: [[10, 0, 100]] },
    [`${late}/${late}_VEG-DIST-STATUS.tif`]: { bands: [[6, 6, 6]] },
    [`${early}/${early}_VEG-ANOM.tif`]: {},
    [`${early}/${early}_VEG-ANOM-MAX.tif`]: { bands: [[90, 90, 90]] },
    [`${early}/${early}_VEG-HIST.tif`]: { bands: [[200, 80, 255]] },
  });
  const stack = await open(folder);
  assert.deepEqual(stack.dates, [
    {
      band: 1,
      timeMs: Date.UTC(2022, 7, 15, 18, 59, 31),
      scene: 'DIST-ALERT-HLS_T10TEM_20220815T185931Z_S2A',
    },
    {
      band: 2,
      timeMs: Date.UTC(2022, 7, 20, 18, 49, 21),
      scene: 'DIST-ALERT-HLS_T10TEM_20220820T184921Z_L8',
    },
  ]);
  assert.deepEqual(stack.files, [`${early}_VEG-ANOM.tif`, `${late}_VEG-ANOM.tif`]);
  assert.deepEqual([...(await stack.readBand(0))], [0, 40, 255]);
  assert.deepEqual([...(await stack.readBand(1))], [10, 0, 100]);
  assert.deepEqual([stack.nodata, stack.sampleType, stack.bandCount], [255, 'int16', 2]);
  await stack.close();
});

test('only values of 0 to 100 percent are valid, and the granule that was produced last is used', async (t) => {
  const acquired = '20220815T185931Z';
  const old = granule(acquired, 'S2A');
  const again = granule(acquired, 'S2A', { produced: '20240101T000000Z' });
  const folder = folderOf(t, {
    [`${again}_VEG-ANOM.tif`]: { bands: [[101, 200, 100]], nodata: '0' },
    [`${old}_VEG-ANOM.tif`]: { bands: [[1, 2, 3]], nodata: '0' },
  });
  const stack = await open(folder);
  assert.equal(stack.bandCount, 1);
  assert.deepEqual([stack.nodata, stack.validRange], [255, [0, 100]]);
  assert.deepEqual([...(await stack.readBand(0))], [101, 200, 100]);
  await stack.close();
});

test('a folder that cannot be used is refused by what is expected and what it holds', async (t) => {
  const [name, other] = [granule('20220815T185931Z', 'S2A'), granule('20220820T184921Z', 'L8')];
  const elsewhere = granule('20220820T184921Z', 'L8', { tile: 'T10TEL' });
  const whole = { [`${name}_VEG-ANOM.tif`]: {} };
  for (const [files, message] of [
    [
      {},
      /expected granules of OPERA DIST-ALERT-HLS with their layer VEG-ANOM, such as OPERA_L3.*; found none$/,
    ],
    [{ [`${name}_VEG-DIST-STATUS.tif`]: {} }, /got only other layers, such as OPERA_L3.*VEG-DIST-STATUS.tif/],
    [{ 'radd_alerts_sa_2023.tif': {} }, /got RADD \(radd_alerts_sa_2023.tif\), which is not supported/],
    [
      { 'GLADalert_2019_08_04_obsDate_060W_10S_050W_00N.tif': {} },
      /got GLAD \(GLADalert_2019.*\), which is not supported/,
    ],
    [
      { 'OPERA_L3_DIST-ANN-HLS_T10TEM_2022_20230501T000000Z_30_v1_VEG-ANOM-MAX.tif': {} },
      /got OPERA DIST-ANN-HLS/,
    ],
    [{ ...whole, [`${elsewhere}_VEG-ANOM.tif`]: {} }, /expected granules of one tile.*got T10TEL, T10TEM/],
    [
      { ...whole, [`${other}_VEG-DIST-STATUS.tif`]: {} },
      /20220820T184921Z.*_v1: expected its layer VEG-ANOM next to/,
    ],
    [{ [`${granule('20221315T185931Z', 'S2A')}_VEG-ANOM.tif`]: {} }, /got 20221315T185931Z/],
    [{ ...whole, [`${other}_VEG-ANOM.tif`]: { width: 1, bands: [[1]] } }, /has another grid/],
  ] as const)
    await assert.rejects(open(folderOf(t, files)), { name: 'InvalidInput', message });
  const folder = folderOf(t, whole);
  await assert.rejects(open(join(folder, `${name}_VEG-ANOM.tif`)), {
    name: 'InvalidInput',
    message: /expected a folder of granules of OPERA DIST-ALERT-HLS, got a file/,
  });
  await assert.rejects(open(join(folder, 'absent')), { name: 'InvalidInput' });
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { python, withoutPackages } from '../../../test/fixtures/python.ts';
import { FireCsvReader } from './fire-csv.ts';
import { readLabels } from './labels-file.ts';

const skip = await withoutPackages('geopandas', 'pyarrow', 'pandas');
const refused = (message: RegExp) => ({ name: 'InvalidInput', param: 'labels', message });

const PROGRAM = `
import sys, datetime, geopandas as gpd, pandas as pd, shapely
folder = sys.argv[1]
table = dict(id=['a', 'b'], label=['burn', 'none'])
days = {'from': [datetime.date(2020, 8, 1), None], 'to': [datetime.date(2020, 8, 2), None]}
times = {'from': pd.to_datetime(['2020-08-01', None]), 'to': pd.to_datetime(['2020-08-02', None])}
where = dict(lat=[46.5, 47.], lng=[14.5, 15.])
pd.DataFrame(dict(**table, **days, **where)).to_parquet(f'{folder}/days.parquet')
pd.DataFrame(dict(**table, **times, **where)).to_parquet(f'{folder}/times.parquet')
pd.DataFrame(dict(**table, **days, lat=[46.5, 95.], lng=[14.5, 15.])).to_parquet(f'{folder}/bad.parquet')
pd.DataFrame(dict(id=['a'], label=['fire'], **where and dict(lat=[1.], lng=[1.]))).to_parquet(f'{folder}/odd.parquet')
shapes = [shapely.Point(14.5, 46.5), shapely.box(15, 47, 15.1, 47.1)]
frame = gpd.GeoDataFrame(dict(**table, **times), geometry=shapes, crs='EPSG:4326')
frame.to_parquet(f'{folder}/shapes.parquet')
frame.to_crs('EPSG:32633').to_parquet(f'{folder}/utm.parquet')
pd.DataFrame(dict(date=pd.to_datetime(['2020-07-31', '2021-08-02']), latitude=[40., 41.], longitude=[-7., -8.], area_ha=[12., 3.5])).to_parquet(f'{folder}/fires.parquet')
`;

describe('labels and records that pandas and GeoPandas write as Parquet', { skip }, () => {
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'groundwatch-labels-'));
    await python(PROGRAM, [folder]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const read = (file: string) => readLabels(join(folder, file));

  for (const file of ['days.parquet', 'times.parquet', 'shapes.parquet', 'utm.parquet'])
    test(`${file}: places, and dates whose last day counts`, async () => {
      const [fire, quiet] = await read(file);
      assert.deepEqual([fire!.id, fire!.label, quiet!.id, quiet!.label], ['a', 'burn', 'b', 'none']);
      assert.deepEqual([fire!.fromMs, fire!.toMs], [Date.UTC(2020, 7, 1), Date.UTC(2020, 7, 3)]);
      assert.deepEqual([quiet!.fromMs, quiet!.toMs], [null, null]);
      const { place } = fire!;
      assert.ok(place.kind === 'point');
      assert.ok(Math.hypot(place.position[0] - 14.5, place.position[1] - 46.5) < 1e-7);
      const isArea = ['shapes.parquet', 'utm.parquet'].includes(file);
      assert.equal(quiet!.place.kind, isArea ? 'area' : 'point');
      if (quiet!.place.kind === 'area')
        assert.ok(Math.abs(quiet!.place.bounds[0] - 15) < 1e-6, String(quiet!.place.bounds));
    });

  test('bad rows are named, with the column', async () => {
    await assert.rejects(
      read('bad.parquet'),
      refused(/^bad\.parquet, row 2: lat: expected degrees within \+-90, got '95'$/),
    );
    await assert.rejects(
      read('odd.parquet'),
      refused(/^odd\.parquet, row 1: label: expected one of .*got 'fire'$/),
    );
    writeFileSync(join(folder, 'cut.parquet'), Buffer.from('PAR1 and nothing of it'));
    await assert.rejects(read('cut.parquet'), refused(/cut\.parquet cannot be read as Parquet/));
    await assert.rejects(read('absent.csv'), refused(/absent\.csv cannot be read/));
  });

  test('tables of fires are read from Parquet as from CSV', async () => {
    const { fires, areDetections } = await new FireCsvReader().readFires(join(folder, 'fires.parquet'));
    assert.equal(areDetections, false);
    assert.deepEqual(fires, [
      { lat: 40, lng: -7, day: Date.UTC(2020, 6, 31) / 86_400_000, areaHa: 12 },
      { lat: 41, lng: -8, day: Date.UTC(2021, 7, 2) / 86_400_000, areaHa: 3.5 },
    ]);
  });
});

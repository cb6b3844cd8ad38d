import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { python, withoutPackages } from '../../../test/fixtures/python.ts';
import type { FileArea } from '../../app/areas/area-file-reader.ts';
import { AreaFiles } from './area-file.ts';

const WRITE = `
import sys, geopandas, pandas, shapely
folder = sys.argv[1]
frame = geopandas.GeoDataFrame({"name": ["one", "two", "three"], "code": [7, 8, 9]}, crs=4326, geometry=[
    shapely.Polygon([(14, 46), (14.1, 46), (14.1, 46.1), (14, 46.1)], [[(14.02, 46.02), (14.02, 46.05), (14.05, 46.05)]]),
    shapely.MultiPolygon([shapely.box(15, 46, 15.1, 46.1), shapely.box(15.3, 46, 15.4, 46.1)]),
    shapely.Point(14, 46)])
frame.to_parquet(folder + "/plain.parquet", row_group_size=2)
frame.to_crs(32633).to_parquet(folder + "/utm.parquet", compression="gzip")
frame.set_crs(None, allow_override=True).to_parquet(folder + "/unknown.parquet")
frame.rename_geometry("shape").to_parquet(folder + "/renamed.parquet", compression="zstd")
frame.iloc[:2].assign(geometry=lambda f: f.geometry.force_3d(5)).to_parquet(folder + "/heights.parquet")
pandas.DataFrame({"name": ["a"]}).to_parquet(folder + "/table.parquet")
geopandas.GeoDataFrame(geometry=[shapely.box(0, 0, 1, 1)] * 10001, crs=4326).to_parquet(folder + "/many.parquet")
`;

describe('areas of GeoParquet', { skip: await withoutPackages('geopandas', 'pyarrow') }, () => {
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'groundwatch-geoparquet-'));
    await python(WRITE, [folder]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const read = (file: string, nameField?: string) =>
    new AreaFiles().readAreas(join(folder, `${file}.parquet`), { nameField });
  const positions = (area: FileArea): number[] =>
    'geometry' in area ? (area.geometry as { coordinates: number[][] }).coordinates.flat(4) : [];

  test('are read in longitude and latitude, whatever their system, column and compression', async () => {
    const plain = await read('plain');
    assert.deepEqual(
      plain.map(({ name }) => name),
      ['one', 'two', 'three'],
    );
    assert.equal(positions(plain[0]!).length, 2 * (5 + 4));
    assert.equal(positions(plain[1]!).length, 2 * (5 + 5));
    assert.deepEqual(plain[2], { name: 'three', problem: 'expected a Polygon or MultiPolygon, got "Point"' });
    assert.deepEqual(await read('renamed'), plain);
    const [first, second] = await read('utm');
    for (const [i, area] of [first!, second!].entries()) {
      const [got, want] = [positions(area), positions(plain[i]!)];
      assert.equal(got.length, want.length);
      assert.ok(
        got.every((value, k) => Math.abs(value - want[k]!) < 1e-7),
        `area ${i}`,
      );
    }
    assert.deepEqual(
      (await read('plain', 'code')).map(({ name }) => name),
      ['7', '8', '9'],
    );
    const heights = await read('heights');
    assert.ok(heights.every((area) => 'hadHeights' in area && area.hadHeights));
    assert.deepEqual(heights.map(positions), plain.slice(0, 2).map(positions));
  });

  test('are refused without a known system, without geometries, and above their number', async () => {
    const refused = (message: RegExp) => ({ name: 'InvalidInput', message });
    await assert.rejects(read('unknown'), refused(/names no reference system/));
    await assert.rejects(read('table'), refused(/got Parquet without the metadata "geo"/));
    await assert.rejects(read('many'), refused(/at most 10000 areas, got 10001/));
    const bytes = readFileSync(join(folder, 'plain.parquet'));
    writeFileSync(join(folder, 'cut.parquet'), bytes.subarray(0, bytes.length - 20));
    await assert.rejects(read('cut'), refused(/cannot be read as Parquet/));
  });
});

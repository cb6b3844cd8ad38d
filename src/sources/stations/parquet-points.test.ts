import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { python, withoutPackages } from '../../../test/fixtures/python.ts';
import { parquetLines } from '../../formats/parquet/lines.ts';
import { PointsFileReader } from './points-file.ts';

const skip = await withoutPackages('pyarrow', 'numpy', 'pandas');
const refused = (message: RegExp) => ({ name: 'InvalidInput', message });
const PROGRAM = `
import sys, struct, json, datetime, numpy as np, pyarrow as pa, pyarrow.parquet as pq
folder = sys.argv[1]
n = 5000
day = [datetime.date(2010, 1, 1) + datetime.timedelta(i // 2) for i in range(n)]
rng = np.random.default_rng(3)
values = np.where(rng.random(n) < .05, np.nan, rng.normal(15, 8, n))
station = ['Wald, Höhe "1"' if i % 2 else 'Beta' for i in range(n)]
lat = [46.5 if i % 2 else 47.25 for i in range(n)]; lng = [14.5 if i % 2 else 15.0 for i in range(n)]
lists = pa.array([[1, 2]] * n)
columns = dict(station=pa.array(station).dictionary_encode(), lat=lat, lng=lng, temperature=pa.array(values, from_pandas=True), extra=lists)
for name, dates in (('day', pa.array(day)), ('us', pa.array(day).cast(pa.timestamp('us', 'UTC'))), ('text', pa.array([d.isoformat() for d in day]))):
    for codec in ('snappy', 'gzip', 'zstd', 'none', 'brotli'):
        pq.write_table(pa.table(dict(date=dates, **columns)), f'{folder}/{name}-{codec}.parquet', compression=codec, row_group_size=1700)
wkb = [struct.pack('<BIdd', 1, 1, x, y) for x, y in zip(lng, lat)]
geo = dict(version='1.1.0', primary_column='geometry', columns=dict(geometry=dict(encoding='WKB', geometry_types=['Point'])))
table = pa.table(dict(date=pa.array(day), station=station, temperature=pa.array(values, from_pandas=True), geometry=wkb))
pq.write_table(table.replace_schema_metadata({'geo': json.dumps(geo)}), f'{folder}/geo.parquet')
import pandas as pd
pd.DataFrame(dict(station=station, lat=lat, lng=lng, temperature=values), index=pd.DatetimeIndex(pd.to_datetime(day))).to_parquet(f'{folder}/index.parquet')
m = lambda lat: float(np.log(np.tan(np.pi / 4 + np.radians(lat) / 2)) * 6378137)
wkb = [struct.pack('<BIdd', 1, 1, np.radians(x) * 6378137, m(y)) for x, y in zip(lng, lat)]
geo['columns']['geometry']['crs'] = dict(type='ProjectedCRS', name='WGS 84 / Pseudo-Mercator', id=dict(authority='EPSG', code=3857))
table = pa.table(dict(date=pa.array(day), station=station, temperature=pa.array(values, from_pandas=True), geometry=wkb))
pq.write_table(table.replace_schema_metadata({'geo': json.dumps(geo)}), f'{folder}/mercator.parquet')
pq.write_table(table.slice(0, 0), f'{folder}/empty.parquet')
pq.write_table(pa.table(dict(date=pa.array(day), obs=pa.array([dict(temperature=1.)] * n))), f'{folder}/nested.parquet')
with open(f'{folder}/points.csv', 'w') as f:
    f.write('date,station,lat,lng,temperature\\n')
    for i in range(n): f.write(f'{day[i]},"{station[i].replace(chr(34), chr(34)*2)}",{lat[i]},{lng[i]},{"" if np.isnan(values[i]) else repr(float(values[i]))}\\n')
`;

describe('Parquet written by pyarrow', { skip }, () => {
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'groundwatch-parquet-'));
    await python(PROGRAM, [folder]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const observations = async (name: string): Promise<unknown> => {
    const file = await new PointsFileReader().open({ path: join(folder, name), metric: 'temperature' });
    const seen: unknown[] = [];
    for await (const { count, stations, timesMs, values } of file.batches())
      for (let i = 0; i < count; i++) {
        const { key, lat, lng } = file.stations[stations[i]!]!;
        seen.push([key, lat, lng, timesMs[i], values[i]]);
      }
    return seen;
  };

  test('every observation is that of the same table as CSV, whatever the codec and the type of the dates', async () => {
    const expected = await observations('points.csv');
    assert.ok((expected as readonly unknown[]).length > 4500);
    for (const codec of ['snappy', 'gzip', 'zstd', 'none', 'brotli'])
      assert.deepEqual(await observations(`day-${codec}.parquet`), expected, codec);
    for (const name of ['us-zstd', 'text-snappy', 'geo', 'index'])
      assert.deepEqual(await observations(`${name}.parquet`), expected, name);
  });

  test('points of a projection come to their places, and are refused where nothing projects them', async () => {
    const expected = (await observations('points.csv')) as readonly (readonly unknown[])[];
    const found = (await observations('mercator.parquet')) as readonly (readonly unknown[])[];
    assert.equal(found.length, expected.length);
    for (const [i, [key, lat, lng, ...rest]] of found.entries()) {
      const [theirs, atLat, atLng, ...others] = expected[i]!;
      assert.deepEqual([key, ...rest], [theirs, ...others]);
      assert.ok(Math.abs(Number(lat) - Number(atLat)) < 1e-8 && Math.abs(Number(lng) - Number(atLng)) < 1e-8);
    }
    const lines = parquetLines(join(folder, 'mercator.parquet'));
    await assert.rejects(
      lines.next(),
      refused(/its points are in a projection \(EPSG:3857\); convert them to EPSG:4326/),
    );
  });

  test('a table without rows, and one whose values are in a structure, are told by that', async () => {
    await assert.rejects(observations('empty.parquet'), refused(/empty\.parquet has no rows$/));
    await assert.rejects(observations('nested.parquet'), refused(/--column with one of \(there is none\)/));
  });

  test('files that are cut short or damaged are refused', async () => {
    const whole = readFileSync(join(folder, 'day-zstd.parquet'));
    for (const length of [4, 8, 100, whole.length / 2, whole.length - 4]) {
      writeFileSync(join(folder, 'broken.parquet'), whole.subarray(0, length));
      await assert.rejects(observations('broken.parquet'), refused(/cannot be read as Parquet/), `${length}`);
    }
    for (let i = 0; i < 40; i++) {
      const bytes = Buffer.from(whole);
      for (let k = 0; k < 3; k++) bytes[(i * 7919 + k * 104_729) % bytes.length]! ^= 0xff;
      writeFileSync(join(folder, 'broken.parquet'), bytes);
      await observations('broken.parquet').catch((error: Error) =>
        assert.equal(error.name, 'InvalidInput', error.stack),
      );
    }
  });
});

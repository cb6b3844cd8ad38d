import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gevFromLMoments, gevReturnLevel } from '../numerics/gev.ts';
import { sampleLMoments } from '../numerics/l-moments.ts';

const RECORDS = join(import.meta.dirname, '../../../shared/data/extreme-value-records');
const absent = existsSync(RECORDS) ? false : `${RECORDS} is absent`;

interface Published {
  readonly name: string;
  readonly fit: Readonly<
    Record<'location' | 'scale' | 'shape' | 'se_location' | 'se_scale' | 'se_shape', number>
  >;
}

test(
  'L-moment fits lie within two standard errors of the published maximum-likelihood fits (Coles 2001; evd, ismev, extRemes records)',
  { skip: absent },
  () => {
    const fits = JSON.parse(readFileSync(join(RECORDS, 'fits.json'), 'utf8')) as Published[];
    assert.ok(fits.length >= 5);
    for (const { name, fit } of fits) {
      const values = readFileSync(join(RECORDS, `${name}.csv`), 'utf8')
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => Number(line.split(',')[1]));
      const ours = gevFromLMoments(sampleLMoments(values));
      assert.ok(
        Math.abs(ours.location - fit.location) <= 2 * fit.se_location,
        `${name} location ${ours.location}`,
      );
      assert.ok(Math.abs(ours.scale - fit.scale) <= 2 * fit.se_scale, `${name} scale ${ours.scale}`);
      // the published sign: positive is heavy
      assert.ok(Math.abs(-ours.shape - fit.shape) <= 2 * fit.se_shape, `${name} shape ${-ours.shape}`);
    }
  },
);

test(
  'Dutch 50-year gusts by L-moments agree with the published fits within 6 % (KNMI records, SpatialExtremes)',
  { skip: absent },
  () => {
    const series = new Map<string, number[]>();
    for (const line of readFileSync(join(RECORDS, 'netherlands_gust_annual_max.csv'), 'utf8')
      .trim()
      .split('\n')
      .slice(1)) {
      const [station, , value] = line.split(',');
      series.set(station!, [...(series.get(station!) ?? []), Number(value)]);
    }
    const [header, ...rows] = readFileSync(join(RECORDS, 'netherlands_gust_gev_fits.csv'), 'utf8')
      .trim()
      .split('\n');
    const column = header!.split(',').indexOf('return_level_50');
    assert.ok(rows.length > 10);
    for (const row of rows) {
      const cells = row.split(',');
      const level = gevReturnLevel(gevFromLMoments(sampleLMoments(series.get(cells[0]!)!)), 50);
      const ratio = level / Number(cells[column]);
      assert.ok(Math.abs(ratio - 1) < 0.06, `station ${cells[0]}: ${ratio}`);
    }
  },
);

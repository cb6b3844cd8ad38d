import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidInput } from '../../base/errors.ts';
import { KNOWN_METRICS } from './known-metrics.ts';
import { conversionTo, unitOfName } from './units.ts';

test('values are converted to the unit of the metric (factors from the SI brochure and NIST SP 811)', () => {
  for (const [metric, unit, written, value] of [
    ['temperature', 'K', 288.15, 15],
    ['temperature', 'F', 212, 100],
    ['temperature', 'F', -40, -40],
    ['wind', 'knots', 42.4, 21.8124444444],
    ['wind', 'kn', 100, 51.4444444444],
    ['wind', 'km/h', 36, 10],
    ['gust', 'mph', 100, 44.704],
    ['precipitation', 'cm', 2.3, 23],
    ['precipitation', 'inch', 1, 25.4],
    ['precipitation', 'kg m-2', 5, 5],
    ['displacement', 'm', -0.0012, -1.2],
    ['river_flow', 'l/s', 2640, 2.64],
    ['river_flow', 'cfs', 1000, 28.316846592],
    ['river_flow', 'Ml/d', 86.4, 1],
    ['river_level', 'ft', 10, 3.048],
    ['pressure', 'Pa', 101_325, 1013.25],
    ['pressure', 'inHg', 29.92, 1013.2075888],
    ['humidity', 'fraction', 0.5, 50],
    ['soil_moisture', '%', 23, 0.23],
    ['displacement_rate', 'cm/yr', 1.5, 15],
  ] as const) {
    assert.equal(conversionTo(metric, unit).convert(written), value, `${written} ${unit}`);
  }
});

test('a unit that does not fit the metric is refused, and the error lists the units that do', () => {
  assert.throws(
    () => conversionTo('wind', 'furlongs'),
    (error) =>
      error instanceof InvalidInput &&
      error.param === 'unit' &&
      /m\/s, km\/h, kn, mph, ft\/s; got "furlongs"/.test(error.message),
  );
  assert.throws(() => conversionTo('wind', 'mm'), InvalidInput);
  for (const { key, unit } of KNOWN_METRICS) assert.equal(conversionTo(key, unit).convert(7), 7, key);
});

test('values of a metric that is not built in are not converted', () => {
  const { unit, convert } = conversionTo('leaf_wetness', 'min');
  assert.deepEqual([unit, convert(3)], ['min', 3]);
});

test('the unit is read from a column name; a unit that does not fit the metric is refused', () => {
  for (const [metric, column, unit] of [
    ['precipitation', 'precip_mm', 'mm'],
    ['wind', 'wind_mean_ms', 'm/s'],
    ['wind', 'wind (km/h)', 'km/h'],
    ['river_flow', 'discharge_l_s', 'l/s'],
    ['temperature', 'tmax_c', 'C'],
    ['pressure', 'mslp_hpa', 'hPa'],
    ['humidity', 'rh_mean_pct', '%'],
    ['temperature', 'temperature', undefined],
    ['wind', 'station_1', undefined],
    ['precipitation', 'rain_total', undefined],
  ] as const)
    assert.equal(unitOfName(metric, column), unit, column);
  for (const column of ['FXX (0.1 m/s)', 'TG [1/10 degC]', 'PRCP (tenths of mm)'])
    assert.throws(() => unitOfName('wind', column), /in parts of a unit: expected --scale/, column);
  assert.equal(unitOfName('soil_moisture', 'sm_0.1m (m3/m3)'), '1');
  assert.throws(() => unitOfName('river_flow', 'discharge_mm'), /says mm, which is no unit of river_flow/);
});

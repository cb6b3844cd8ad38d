import assert from 'node:assert/strict';
import { test } from 'node:test';
import { projectionDefinition, projectionOf } from './projection.ts';

function near(actual: readonly number[], expected: readonly number[], tolerance: number): void {
  for (const [i, value] of expected.entries()) {
    assert.ok(Math.abs(actual[i]! - value) <= tolerance, `expected ${expected.join()}, got ${actual.join()}`);
  }
}

const dms = (degrees: number, minutes: number, seconds: number): number =>
  degrees + minutes / 60 + seconds / 3600;

test('the example of EPSG Guidance Note 7-2 is reproduced: ETRS89 / LAEA Europe (EPSG:3035)', () => {
  near(projectionOf('EPSG:3035').fromLngLat(5, 50), [3962799.45, 2999718.85], 0.01);
  near(projectionOf('EPSG:3035').toLngLat(3962799.45, 2999718.85), [5, 50], 1e-7);
});

test('the example of EPSG Guidance Note 7-2 is reproduced: Popular Visualisation Pseudo Mercator (EPSG:3857)', () => {
  const [lng, lat] = [-dms(100, 20, 0), dms(24, 22, 54.433)];
  near(projectionOf('EPSG:3857').fromLngLat(lng, lat), [-11169055.58, 2800000], 0.01);
});

test('the CN Tower has its published UTM coordinates (EPSG:32617; Wikipedia, "Universal Transverse Mercator")', () => {
  near(projectionOf('EPSG:32617').fromLngLat(-dms(79, 23, 13.7), dms(43, 38, 33.24)), [630084, 4833438], 1);
});

test('the old observatory of Bern is the origin of LV95 (EPSG:2056; swisstopo)', () => {
  near(projectionOf('EPSG:2056').toLngLat(2600000, 1200000), [dms(7, 26, 19.08), dms(46, 57, 3.9)], 3e-6);
});

test('the church tower of Amersfoort is the origin of RD New (EPSG:28992; Schreutelkamp & Strang van Hees 2001)', () => {
  near(projectionOf('EPSG:28992').toLngLat(155000, 463000), [5.38720621, 52.1551744], 5e-6);
});

test('S-JTSK / Krovak East North, NTF Lambert zone II and Stereo 70 are where PROJ 9.1 has them', () => {
  near(projectionOf('EPSG:5514').toLngLat(-700_000, -1_050_000), [15.027083762, 50.076125729], 1e-7);
  near(projectionOf('EPSG:27572').toLngLat(600_000, 2_200_000), [2.336533608, 46.799948781], 1e-7);
  near(projectionOf('EPSG:3844').toLngLat(500_000, 450_000), [24.998459022, 45.549753073], 1e-7);
});

test('every listed reference system converts there and back', () => {
  const places: [string, number, number][] = [
    ['EPSG:32633', 15.2, 46.1],
    ['EPSG:32733', 15.2, -33.9],
    ['EPSG:32760', 179.9, -40],
    ['EPSG:25832', 9.5, 50],
    ['EPSG:26915', -93, 45],
    ['EPSG:3395', 120, -30],
    ['EPSG:6933', 35, 5],
    ['EPSG:3034', 10, 50],
    ['EPSG:3031', 170, -75],
    ['EPSG:3413', -45, 80],
    ['EPSG:3995', 100, 85],
    ['EPSG:5070', -96, 40],
    ['EPSG:2056', 8.5, 47.4],
    ['EPSG:27700', -1.5, 52.5],
    ['EPSG:2154', 2.3, 48.8],
    ['EPSG:28992', 5.4, 52.2],
  ];
  for (const [code, lng, lat] of places) {
    const projection = projectionOf(code);
    const [x, y] = projection.fromLngLat(lng, lat);
    assert.ok(Math.abs(x) + Math.abs(y) > 1000, `${code} must give metres, got ${x}, ${y}`);
    near(projection.toLngLat(x, y), [lng, lat], 1e-7);
  }
});

test('geographic reference systems keep longitudes beyond 180', () => {
  const projection = projectionOf('EPSG:4326');
  assert.ok(projection.isGeographic);
  assert.deepEqual(projection.toLngLat(190, -17), [190, -17]);
});

test('an explicit definition is equivalent to a code, and is cached', () => {
  const definition = projectionDefinition('epsg:32633');
  assert.equal(definition, '+proj=utm +zone=33 +datum=WGS84 +units=m +no_defs');
  assert.equal(projectionOf(definition), projectionOf(definition));
  assert.deepEqual(
    projectionOf(definition).fromLngLat(15, 46),
    projectionOf('EPSG:32633').fromLngLat(15, 46),
  );
  // The meridian arc from the equator to 45 degrees is 4984944.378 m; a US survey foot is 1200/3937 m.
  const feet = projectionOf('+proj=utm +zone=19 +datum=NAD83 +units=us-ft').fromLngLat(-69, 45);
  near(feet, [(500000 * 3937) / 1200, (4984944.378 * 0.9996 * 3937) / 1200], 0.01);
});

test('unknown codes and unusable definitions are refused', () => {
  for (const code of ['EPSG:32600', 'EPSG:32661', 'EPSG:99999', 'WKT', '', '+proj=nonsense']) {
    assert.throws(() => projectionOf(code), RangeError, code);
  }
});

test('coordinates are NaN where a projection is not defined', () => {
  assert.ok(projectionOf('EPSG:3857').fromLngLat(0, 90).every(Number.isNaN));
});

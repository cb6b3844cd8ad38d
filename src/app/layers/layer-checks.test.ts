import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkLayerRequest,
  checkLayerValues,
  type LayerRequest,
  refuseUnusual,
  similarLayer,
} from './layer-checks.ts';
import { eventLikeGusts, refuseFootprint } from './event-footprint.ts';

const TODAY = '2026-11-21';
const DEPTH: LayerRequest = { layer: 'flood-depth', version: 'jrc-2.1', returnPeriodYears: 100 };

function refused(request: LayerRequest, message: RegExp): void {
  assert.throws(() => checkLayerRequest(request, TODAY), { name: 'InvalidInput', message });
}

test('a hazard map needs a plausible return period; other layers must have none', () => {
  assert.equal(checkLayerRequest(DEPTH, TODAY)?.unit, 'm');
  for (const years of [0, -100, 0.5, 2_000_000, Number.NaN, Infinity]) {
    refused({ ...DEPTH, returnPeriodYears: years }, /return period .*expected 1 to 1000000 years/);
  }
  refused({ layer: 'flood-depth', version: 'v1' }, /--return-period must say/);
  refused({ ...DEPTH, layer: 'elevation' }, /elevation .* has no return period; got 100/);
  for (const returnPeriodYears of [undefined, 50]) {
    assert.ok(checkLayerRequest({ layer: 'fire-danger', version: 'v1', returnPeriodYears }, TODAY));
  }
});

test('a map that is named as the footprint of one event is refused, unless it is confirmed', () => {
  for (const text of [
    'fp_1999122606.tif',
    'Lothar_footprint.tif',
    'storm foot print',
    'event_0412',
    'WISC hindcast',
  ])
    assert.throws(() => refuseFootprint(DEPTH, ['x.tif', text]), {
      name: 'InvalidInput',
      message:
        /names the footprint of one event; layer flood-depth expects .* once in 100 years.*--keep-doubtful/,
    });
  for (const text of ['RP100_depth.tif', 'gust_rp50_cfp.tif', 'depth of the 100-year event', null, undefined])
    refuseFootprint(DEPTH, [text]);
  refuseFootprint({ ...DEPTH, keepDoubtful: true }, ['fp_1.tif']);
  assert.throws(
    () => checkLayerRequest({ layer: 'gust', version: 'v1' }, TODAY),
    /footprint of one event has no return/,
  );
});

test('gusts that vary as those of one storm are told with their numbers', () => {
  // Storm Lothar between 50.5 and 54 N (C3S WISC): 20.95 to 38.63 m/s; the usual 50-year gust inland is 38 m/s.
  assert.match(
    eventLikeGusts(20.95, 38.63, 50, 38)!,
    /from 20\.9 to 38\.6 m\/s; usual for 50 years inland is 38\./,
  );
  // Return levels of 50 years at Dutch stations: 33 to 46 m/s.
  assert.equal(eventLikeGusts(33, 46, 50, 38), undefined);
  assert.equal(eventLikeGusts(10, 20, 50, 38), undefined);
});

test('a known layer has one unit, in any spelling; an unknown layer takes the unit of the request', () => {
  for (const unit of ['m', 'M', 'metre', ' meters ']) checkLayerRequest({ ...DEPTH, unit }, TODAY);
  for (const unit of ['ft', 'CM', 'feet', 'km']) checkLayerRequest({ ...DEPTH, unit }, TODAY); // converted
  for (const unit of ['', 'km/h', 'K', '%', 'toString'])
    refused({ ...DEPTH, unit }, /flood-depth .* is in m; got .*--unit mm, cm, .* are converted/);
  refused({ layer: 'country', version: 'v1', unit: 'm' }, /country .* is in class; got m: .*--unit class$/);
  assert.equal(checkLayerRequest({ layer: 'noise', version: 'v1', unit: 'dB' }, TODAY), undefined);
});

test('invalid names, dates and resolutions are refused', () => {
  for (const layer of ['', '../up', 'Elevation', 'a/b', 'a b', '-x', 'x'.repeat(64)]) {
    refused({ ...DEPTH, layer }, /expected lower-case letters/);
  }
  for (const version of ['', '../up', 'v/1', '.v', 'v 1']) refused({ ...DEPTH, version }, /expected letters/);
  for (const date of ['2025-02-30', '2025', '21.11.2026', '2025-13-01']) {
    refused({ ...DEPTH, date }, /expected a day such as/);
  }
  refused({ ...DEPTH, date: '2026-11-22' }, /lies in the future/);
  for (const resolutionM of [0, -30, Number.NaN, 1e8]) refused({ ...DEPTH, resolutionM }, /metres/);
  refused({ ...DEPTH, classes: true }, /holds no classes/);
});

test('values outside the range of the unit and undeclared nodata are refused', () => {
  const plain = { scale: 1, offset: 0 };
  const of = (lowest: number, highest: number) => ({ validCount: 9, lowest, highest });
  checkLayerValues('a.tif', 'elevation', of(-430, 8849), plain, false);
  const refusedValues = (
    layer: string,
    content: ReturnType<typeof of>,
    scale: number,
    message: RegExp,
  ): void => {
    assert.throws(() => checkLayerValues('a.tif', layer, content, { scale, offset: 0 }, false), { message });
  };
  // Values in centimetres are refused. With the scale that converts them to metres, they are accepted.
  refusedValues('elevation', of(0, 54_700), 1, /a\.tif holds values from 0 to 54700; .* -12000 to 9000/);
  checkLayerValues('a.tif', 'elevation', of(0, 54_700), { scale: 0.01, offset: 0 }, false);
  // Clay in g/kg, as in SoilGrids, is refused. With the scale that converts it to percent, it is accepted.
  refusedValues('soil-clay', of(80, 620), 1, /in % and can hold 0 to 100/);
  checkLayerValues('a.tif', 'soil-clay', of(80, 620), { scale: 0.1, offset: 0 }, false);
  refusedValues('flood-depth', of(0, 12), -1, /from -12 to 0/);
  // Refuses maps in the wrong unit: velocities in metres per year, and fractions instead of percent. Accepts small
  // values in a map with few samples, and a map of zeros.
  const many = (lowest: number, highest: number) => ({ validCount: 5000, lowest, highest });
  refusedValues('displacement-velocity', many(-0.031, 0.008), 1, /5000 values .* in mm\/yr: check its unit/);
  checkLayerValues('a.tif', 'displacement-velocity', many(-0.031, 0.008), { scale: 1000, offset: 0 }, false);
  checkLayerValues('a.tif', 'displacement-velocity', of(-0.1, 0.2), plain, false);
  refusedValues('soil-clay', many(0.04, 0.61), 1, /in %: check its unit/);
  checkLayerValues('a.tif', 'soil-clay', many(0, 0), plain, false);
  // Gusts in km/h are refused.
  refusedValues('gust', of(98, 165), 1, /in m\/s and can hold 0 to 120/);
  for (const value of [-9999, -32_768, -3.402_823_466_385_288_6e38]) {
    refusedValues('noise', of(value, 10), 1, /looks like nodata and is not declared so: give --nodata/);
  }
  checkLayerValues('a.tif', 'noise', of(-9999, 10), plain, true);
  // Codes of WorldCover and CORINE level 3 are accepted; CORINE grid codes, ESA CCI, Copernicus Global Land
  // Cover and MODIS are not.
  for (const [lowest, highest] of [
    [10, 100],
    [30, 30],
    [111, 523],
    [112, 999],
  ] as const)
    checkLayerValues('a.tif', 'land-cover', of(lowest, highest), plain, true);
  for (const [lowest, highest] of [
    [1, 44],
    [10, 210],
    [20, 126],
    [1, 17],
    [0, 90],
  ] as const)
    refusedValues(
      'land-cover',
      of(lowest, highest),
      1,
      /not both of one legend; expected land cover, codes of/,
    );
  checkLayerValues(
    'a.tif',
    'elevation',
    { validCount: 0, lowest: Infinity, highest: -Infinity },
    plain,
    false,
  );
});

test('a map whose values are possible, but in another unit more likely, is refused with its quantiles', () => {
  const ramp = (low: number, high: number, count = 400): number[] =>
    Array.from({ length: count }, (_, i) => low + ((high - low) * i) / (count - 1));
  // Depths of 0 to 160 cm, half of the land dry.
  const centimetres = [...ramp(0, 0), ...ramp(1, 160)];
  assert.throws(() => refuseUnusual('fl.tif', 'flood-depth', centimetres), {
    name: 'InvalidInput',
    message:
      /^fl\.tif holds values whose size is 80\.5 in the median \(5 %: 8\.95, 95 %: 152; 0 left out\); layer flood-depth .*--unit mm, cm, .*--keep-doubtful$/,
  });
  // A gorge of 60 m in a map of usual depths; too few values to judge; a dry map.
  refuseUnusual('fl.tif', 'flood-depth', [...ramp(0.1, 6), ...ramp(20, 60, 40)]);
  refuseUnusual('fl.tif', 'flood-depth', ramp(50, 90, 20));
  refuseUnusual('fl.tif', 'coastal-flood-depth', ramp(0, 0));
  for (const [layer, right, wrong] of [
    ['gust', ramp(25, 45), ramp(90, 118)], // km/h
    ['cyclone-wind', ramp(20, 75), ramp(72, 119)], // knots or km/h
    ['displacement-velocity', ramp(-4, 3), [...ramp(-0.004, 0.003), 0.2]], // m/yr, with an outlier
    ['soil-clay', ramp(4, 60), [...ramp(0.04, 0.6), 1.5]], // a fraction, with an outlier
    ['extreme-rain', ramp(40, 160), ramp(1.6, 6.3)], // inches
  ] as const) {
    refuseUnusual('a.tif', layer, right);
    assert.throws(() => refuseUnusual('a.tif', layer, wrong), { param: 'unit' }, layer);
  }
});

test('a misspelt layer name finds the known one', () => {
  assert.equal(similarLayer('elevaton'), 'elevation');
  assert.equal(similarLayer('flood_depth'), 'flood-depth');
  assert.equal(similarLayer('landcover'), 'land-cover');
  assert.equal(similarLayer('population'), undefined);
  assert.equal(similarLayer('test'), undefined);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidInput } from '../../base/errors.ts';
import { parseWeatherCsv } from './weather-csv.ts';

test('columns of fire weather stations are found by name in any order, with three columns of the day or one date', () => {
  const three = parseWeatherCsv(
    'id,lat,long,yr,mon,day,temp,rh,ws,prec,tmax\n1,49.4625,119.6,2013,1,1,-3.2,82,11,0,-2.7\n1,49.4625,119.6,2013,1,3,-3,73,26,NA,-2.4\n',
    's.csv',
  );
  assert.deepEqual([three.lat, three.lng, three.days, three.proxies], [49.4625, 119.6, [15706, 15708], []]);
  assert.deepEqual(
    [...three.temperatureC, ...three.maximumC, ...three.windKmh],
    [-3.2, -3, -2.7, -2.4, 11, 26],
  );
  assert.ok(three.rainMm[0] === 0 && Number.isNaN(three.rainMm[1]!) && three.snowDepthM === null);
  const one = parseWeatherCsv(
    '\uFEFFdate,temp_noon_c,rh_noon_pct,wind_noon_kmh,rain_24h_mm,snow_depth_m,FFMC\r\n2017-01-01,-7.5,93.2,9.4,4.1,0.47,\r\n',
    'g.csv',
  );
  assert.deepEqual([one.lat, one.days[0], one.snowDepthM![0], one.maximumC[0]], [null, 17167, 0.47, -7.5]);
});

test('daily values of a reanalysis replace noon values and are reported as proxies: maximum, humidity from dew point, m/s', () => {
  const { temperatureC, relativeHumidity, windKmh, proxies } = parseWeatherCsv(
    'date,tmean_c,tmax_c,tmin_c,dewpoint_c,rh_mean_pct,precip_mm,wind_mean_ms\n1990-06-01,15,20,10,20,80,0,5\n1990-06-02,15,30,10,10,80,0,10\n',
    'era5.csv',
  );
  assert.deepEqual([...temperatureC, ...windKmh], [20, 30, 18, 36]);
  assert.equal(relativeHumidity[0], 100);
  // saturation vapour pressure 12.27 hPa at 10 C and 42.43 hPa at 30 C (WMO-No. 8, annex 4.B)
  assert.ok(Math.abs(relativeHumidity[1]! - (100 * 12.27) / 42.43) < 0.1, `${relativeHumidity[1]}`);
  assert.equal(proxies.length, 3);
});

test('days are sorted', () => {
  const { days, temperatureC } = parseWeatherCsv(
    'date,temp,rh,ws,prec\n2013-01-03,3,50,5,0\n2013-01-01,1,50,5,0\n2013-01-02,2,50,5,0\n',
    'w.csv',
  );
  assert.deepEqual([days[1]! - days[0]!, days[2]! - days[1]!, ...temperatureC], [1, 1, 1, 2, 3]);
});

test('an unusable file is refused; the message names line and column', () => {
  const rest = 'rh,ws,prec\n2013-01-01,-3.2,82,11,0\n';
  for (const [csv, message] of [
    [`date,t,${rest}`, /line 1: no column of temperature; expected one of temp_noon_c.*got date, t, rh/],
    ['date,temp,ws,prec\n2013-01-01,1,2,3\n', /no column of humidity/],
    [`date,temp,${rest}2013-01-01,1,2,3,4\n`, /line 3: the day of line 2 again/],
    [
      'lat,long,date,temp,rh,ws,prec\n49.4,-119.6,2013-01-01,1,2,3,4\n50.2,-119.6,2013-01-02,1,2,3,4\n',
      /line 3: lat is 50\.2, 49\.4 in line 2; expected one station/,
    ],
    [
      'station,date,temp,rh,ws,prec\nA,2013-01-01,1,2,3,4\nB,2013-01-02,1,2,3,4\n',
      /line 3: station is B, A in line 2; expected one station/,
    ],
    [`date,temp,${rest}2013-01-02,1,wet,3,4\n`, /line 3: rh is 'wet'; expected a number/],
    [`date,temp,${rest}2013-02-30,1,2,3,4\n`, /line 3: the day is '2013-02-30'/],
    ['yr,mon,temp,rh,ws,prec\n2013,1,1,2,3,4\n', /line 2: the day is '2013-01-00'/],
    ['date,temp,rh,ws,prec\n', /has no days/],
    ['', /no column of temperature/],
  ] as const)
    assert.throws(() => parseWeatherCsv(csv, 'w.csv'), { name: InvalidInput.name, message }, csv);
});

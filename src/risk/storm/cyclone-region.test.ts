import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cycloneRegionOf } from './cyclone-region.ts';
import { CYCLONE_HALF_DAMAGE_MPS, type CycloneRegion } from './emanuel.ts';

const PLACES: readonly (readonly [string, number, number, country: number, CycloneRegion])[] = [
  ['Miami', 25.77, -80.19, 840, 'usa-canada'],
  ['Halifax', 44.65, -63.57, 124, 'usa-canada'],
  ['Brownsville', 26.2, -97.5, 840, 'usa-canada'],
  ['Honolulu', 21.3, -157.9, 840, 'usa-canada'],
  ['Monterrey', 25.67, -100.31, 484, 'caribbean-mexico'],
  ['Havana', 23.1, -82.4, 192, 'caribbean-mexico'],
  ['Nassau', 25.06, -77.35, 44, 'caribbean-mexico'],
  ['San Juan', 18.47, -66.11, 630, 'caribbean-mexico'],
  ['Bridgetown', 13.1, -59.6, 52, 'caribbean-mexico'],
  ['Managua', 12.1, -86.3, 558, 'caribbean-mexico'],
  ['Amsterdam', 52.37, 4.9, 528, 'elsewhere'],
  ['Catania', 37.5, 15.1, 380, 'elsewhere'],
  ['Lagos', 6.5, 3.4, 566, 'elsewhere'],
  ['Cairo', 30.04, 31.24, 818, 'elsewhere'],
  ['Muscat', 23.6, 58.5, 512, 'north-indian'],
  ['Karachi', 24.9, 67, 586, 'north-indian'],
  ['Chennai', 13.1, 80.3, 356, 'north-indian'],
  ['Colombo', 6.9, 79.9, 144, 'north-indian'],
  ['Dhaka', 23.8, 90.4, 50, 'north-indian'],
  ['Yangon', 16.8, 96.2, 104, 'north-indian'],
  ['Mogadishu', 2.05, 45.3, 706, 'north-indian'],
  ['Djibouti', 11.6, 43.15, 262, 'north-indian'],
  ['Beira', -19.8, 34.8, 508, 'south-indian'],
  ['Toamasina', -18.15, 49.4, 450, 'south-indian'],
  ['Port Louis', -20.2, 57.5, 480, 'south-indian'],
  ['Durban', -29.9, 31, 710, 'south-indian'],
  ['Bangkok', 13.75, 100.5, 764, 'south-east-asia'],
  ['Ho Chi Minh City', 10.8, 106.7, 704, 'south-east-asia'],
  ['Hanoi', 21.03, 105.85, 704, 'south-east-asia'],
  ['Da Nang', 16.07, 108.2, 704, 'south-east-asia'],
  ['Jakarta', -6.2, 106.8, 360, 'south-east-asia'],
  ['Makassar', -5.1, 119.4, 360, 'south-east-asia'],
  ['Kota Kinabalu', 5.98, 116.1, 458, 'south-east-asia'],
  ['Sandakan', 5.84, 118.1, 458, 'south-east-asia'],
  ['Manila', 14.6, 120.98, 608, 'philippines'],
  ['Tacloban', 11.2, 125, 608, 'philippines'],
  ['Davao', 7.1, 125.6, 608, 'philippines'],
  ['Laoag', 18.2, 120.6, 608, 'philippines'],
  ['Shanghai', 31.2, 121.5, 156, 'china'],
  ['Wenzhou', 28, 120.7, 156, 'china'],
  ['Guangzhou', 23.1, 113.3, 156, 'china'],
  ['Zhanjiang', 21.2, 110.4, 156, 'china'],
  ['Haikou', 20, 110.3, 156, 'china'],
  ['Hong Kong', 22.3, 114.17, 344, 'north-west-pacific'],
  ['Taipei', 25.03, 121.5, 158, 'north-west-pacific'],
  ['Tokyo', 35.68, 139.76, 392, 'north-west-pacific'],
  ['Naha', 26.2, 127.7, 392, 'north-west-pacific'],
  ['Seoul', 37.6, 127, 410, 'north-west-pacific'],
  ['Brisbane', -27.5, 153, 36, 'oceania'],
  ['Darwin', -12.5, 130.8, 36, 'oceania'],
  ['Auckland', -36.8, 174.8, 554, 'oceania'],
  ['Suva', -18.1, 178.4, 242, 'oceania'],
  ['Apia', -13.8, -171.8, 882, 'oceania'],
  ['Port Vila', -17.7, 168.3, 548, 'oceania'],
  ['Guam', 13.4, 144.8, 316, 'oceania'],
  ['Koror', 7.3, 134.5, 585, 'oceania'],
  ['Dili', -8.6, 125.6, 626, 'oceania'],
];

test('places get the half-damage wind of the region of their country (Eberenz et al. 2021, tables 2 and A1)', () => {
  for (const [name, lat, lng, country, region] of PLACES)
    assert.equal(cycloneRegionOf(lat, lng, country), region, name);
  assert.deepEqual(
    [...new Set(PLACES.map(([, , , , region]) => region))].sort(),
    Object.keys(CYCLONE_HALF_DAMAGE_MPS).sort(),
  );
});

test('without a country, a coarse rule gives the region of most places', () => {
  const wrong = PLACES.filter(([, lat, lng, , region]) => cycloneRegionOf(lat, lng) !== region);
  assert.ok(wrong.length <= 0.1 * PLACES.length, wrong.map(([name]) => name).join(', '));
});

test('half-damage winds are those published, in both calibrations (Eberenz et al. 2021, table 2; methods.md)', () => {
  const published: Readonly<Record<CycloneRegion, readonly [number, number]>> = {
    'caribbean-mexico': [66.3, 59.6],
    'usa-canada': [89.2, 86.0],
    'north-indian': [70.8, 58.7],
    oceania: [64.1, 49.7],
    'south-indian': [52.4, 46.8],
    'south-east-asia': [66.4, 56.7],
    philippines: [188.4, 84.7],
    china: [112.8, 80.2],
    'north-west-pacific': [190.5, 135.6],
    elsewhere: [110.1, 73.4],
  };
  assert.deepEqual(CYCLONE_HALF_DAMAGE_MPS, published);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cycloneRegionOf } from './storm/cyclone-region.ts';
import { COUNTRIES, countryFacts } from './countries.ts';
import { residentialDepthDamageCurve } from './flood/depth-damage.ts';
import { CYCLONE_HALF_DAMAGE_MPS } from './storm/emanuel.ts';
import { COUNTRY_PARTS, continentOf, type Continent } from './regions.ts';

/** Places without a country; the coarse rule holds away from the edges of the continents. */
const COARSE_PLACES: readonly (readonly [string, number, number, Continent])[] = [
  ['Miami', 25.77, -80.19, 'north-america'],
  ['Halifax', 44.65, -63.57, 'north-america'],
  ['Honolulu', 21.3, -157.9, 'north-america'],
  ['Havana', 23.1, -82.4, 'central-and-south-america'],
  ['San Juan', 18.47, -66.11, 'central-and-south-america'],
  ['Sao Paulo', -23.55, -46.6, 'central-and-south-america'],
  ['Amsterdam', 52.37, 4.9, 'europe'],
  ['Malaga', 36.72, -4.42, 'europe'],
  ['Reykjavik', 64.1, -21.9, 'europe'],
  ['Moscow', 55.8, 37.6, 'europe'],
  ['Ankara', 39.9, 32.9, 'asia'],
  ['Algiers', 36.75, 3.06, 'africa'],
  ['Cairo', 30.04, 31.24, 'africa'],
  ['Nairobi', -1.29, 36.82, 'africa'],
  ['Beira', -19.8, 34.8, 'africa'],
  ['Jeddah', 21.5, 39.2, 'asia'],
  ['Chennai', 13.1, 80.3, 'asia'],
  ['Jakarta', -6.2, 106.8, 'asia'],
  ['Manila', 14.6, 120.98, 'asia'],
  ['Tokyo', 35.68, 139.76, 'asia'],
  ['Brisbane', -27.5, 153, 'oceania'],
  ['Auckland', -36.8, 174.8, 'oceania'],
  ['Apia', -13.8, -171.8, 'oceania'],
];

test('without a country, a coarse rule gives the continent', () => {
  for (const [name, lat, lng, continent] of COARSE_PLACES)
    assert.equal(continentOf(lat, lng), continent, name);
  assert.equal(continentOf(48.9, 2.35, 999), 'europe', 'an unknown code');
});

test('a country decides over the coarse rule, and a part that lies elsewhere over its country', () => {
  assert.equal(continentOf(31.76, -106.49), 'north-america');
  assert.equal(continentOf(25.67, -100.31, 484), 'central-and-south-america', 'Monterrey');
  assert.equal(continentOf(35.89, -5.31, 724), 'europe', 'Ceuta');
  for (const { country, name, box, continent, cycloneRegion } of COUNTRY_PARTS) {
    const [south, west, north, east] = box;
    assert.ok(south < north && west < east && countryFacts(country) !== undefined, name);
    const middle = [(south + north) / 2, (west + east) / 2] as const;
    if (name === 'Asian Russia') continue; // its middle is inland of the Pacific coast
    assert.equal(continentOf(...middle, country), continent, name);
    assert.equal(cycloneRegionOf(...middle, country), cycloneRegion, name);
  }
});

test('every country has a continent with damage curves and a cyclone region with half-damage winds', () => {
  for (const { numeric, continent, cycloneRegion } of COUNTRIES) {
    assert.ok(residentialDepthDamageCurve(continent).mean.length > 0, `${numeric}: ${continent}`);
    assert.equal(CYCLONE_HALF_DAMAGE_MPS[cycloneRegion].length, 2, `${numeric}: ${cycloneRegion}`);
  }
});

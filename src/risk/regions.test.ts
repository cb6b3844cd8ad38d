import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unmappedBasin } from './cyclone-basins.ts';
import type { CycloneRegion } from './emanuel.ts';
import { continentOf, cycloneRegionOf, type Continent } from './regions.ts';

const PLACES: readonly (readonly [string, number, number, Continent, CycloneRegion])[] = [
  ['Miami', 25.77, -80.19, 'north-america', 'usa-canada'],
  ['Halifax', 44.65, -63.57, 'north-america', 'usa-canada'],
  ['Brownsville', 26.2, -97.5, 'north-america', 'usa-canada'],
  ['Honolulu', 21.3, -157.9, 'north-america', 'usa-canada'],
  ['Monterrey', 25.67, -100.31, 'central-and-south-america', 'caribbean-mexico'],
  ['Havana', 23.1, -82.4, 'central-and-south-america', 'caribbean-mexico'],
  ['Nassau', 25.06, -77.35, 'central-and-south-america', 'caribbean-mexico'],
  ['San Juan', 18.47, -66.11, 'central-and-south-america', 'caribbean-mexico'],
  ['Sao Paulo', -23.55, -46.6, 'central-and-south-america', 'caribbean-mexico'],
  ['Amsterdam', 52.37, 4.9, 'europe', 'elsewhere'],
  ['Malaga', 36.72, -4.42, 'europe', 'elsewhere'],
  ['Catania', 37.5, 15.1, 'europe', 'elsewhere'],
  ['Heraklion', 35.3, 25.1, 'europe', 'elsewhere'],
  ['Reykjavik', 64.1, -21.9, 'europe', 'elsewhere'],
  ['Ankara', 39.9, 32.9, 'asia', 'north-indian'],
  ['Algiers', 36.75, 3.06, 'africa', 'elsewhere'],
  ['Tunis', 36.8, 10.2, 'africa', 'elsewhere'],
  ['Cairo', 30.04, 31.24, 'africa', 'elsewhere'],
  ['Nairobi', -1.29, 36.82, 'africa', 'south-indian'],
  ['Beira', -19.8, 34.8, 'africa', 'south-indian'],
  ['Jeddah', 21.5, 39.2, 'asia', 'north-indian'],
  ['Chennai', 13.1, 80.3, 'asia', 'north-indian'],
  ['Ho Chi Minh City', 10.8, 106.7, 'asia', 'south-east-asia'],
  ['Manila', 14.6, 120.98, 'asia', 'philippines'],
  ['Shanghai', 31.2, 121.5, 'asia', 'china'],
  ['Taipei', 25.03, 121.5, 'asia', 'north-west-pacific'],
  ['Tokyo', 35.68, 139.76, 'asia', 'north-west-pacific'],
  ['Brisbane', -27.5, 153, 'oceania', 'oceania'],
  ['Auckland', -36.8, 174.8, 'oceania', 'oceania'],
  ['Apia', -13.8, -171.8, 'oceania', 'oceania'],
];

test('places fall on their continent and in their cyclone region (Eberenz et al. 2021, table A1)', () => {
  for (const [name, lat, lng, continent, region] of PLACES) {
    assert.equal(continentOf(lat, lng), continent, name);
    assert.equal(cycloneRegionOf(lat, lng), region, name);
  }
});

test('cyclone basins hold the coasts that cyclones strike and no others', () => {
  for (const [lat, lng] of [
    [14.6, 121],
    [35.7, 139.8],
    [22.6, 88.4],
    [-18.1, 49.4],
    [-16.9, 145.8],
    [-18.1, 178.4],
    [16.9, -99.9],
    [21.3, -157.9],
  ] as const)
    assert.notEqual(unmappedBasin(lat, lng), null, `${lat}, ${lng}`);
  for (const [lat, lng] of [
    [52, 5],
    [-1.3, 36.8],
    [-33.4, -70.7],
    [1.3, 103.8],
    [55.8, 37.6],
    [-23.5, -46.6],
    [39.7, -105],
  ] as const)
    assert.equal(unmappedBasin(lat, lng), null, `${lat}, ${lng}`);
});

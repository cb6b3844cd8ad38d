import type { CycloneRegion } from './emanuel.ts';
import { continentOf, heightAt, type BrokenLine, type Continent } from '../regions.ts';

/**
 * Southern border of China, then a line south of Hainan: points of (longitude, latitude) [degrees], accurate to
 * about 0.3 degrees.
 */
const SOUTH_OF_CHINA: BrokenLine = [
  [98.8, 24],
  [99.3, 22.1],
  [101.2, 21.2],
  [102.2, 22.4],
  [104, 22.8],
  [105.3, 23.3],
  [106.7, 22.1],
  [107.6, 21.6],
  [108.1, 21.5],
  [108.4, 18],
  [117, 18],
];

/**
 * Bounds of the Horn of Africa [degrees]: it lies east of longitude `west`, between the latitudes `south` and
 * `north`. Its cyclones come from the northern Indian Ocean.
 */
const HORN = { west: 33, south: -1.7, north: 18 } as const;

/**
 * Returns the region whose half-damage wind applies at a position. Borders are as coarse as those of
 * `continentOf`.
 * @see doi:10.5194/nhess-21-393-2021 (Eberenz et al. 2021)
 */
export function cycloneRegionOf(lat: number, lng: number): CycloneRegion {
  const continent = continentOf(lat, lng);
  if (continent === 'asia') return asianCycloneRegion(lat, lng);
  if (continent === 'africa') {
    if (lng > HORN.west && lat > HORN.south && lat < HORN.north && (lat > 4 || lng > 41))
      return 'north-indian';
    return lng > 25 && lat < 0 ? 'south-indian' : 'elsewhere';
  }
  return REGION_OF_CONTINENT[continent];
}

const REGION_OF_CONTINENT: Readonly<Record<Exclude<Continent, 'asia' | 'africa'>, CycloneRegion>> = {
  'north-america': 'usa-canada',
  'central-and-south-america': 'caribbean-mexico',
  oceania: 'oceania',
  europe: 'elsewhere',
};

function asianCycloneRegion(lat: number, lng: number): CycloneRegion {
  if (lng < 98) return lat >= 0 ? 'north-indian' : 'south-indian';
  if (lat < -8 && lng > 123.3 && lng < 127.5) return 'oceania'; // Timor
  if (lat >= 2 && lat < 10 && lng >= 131) return 'oceania'; // Palau
  if (lat < 5 || (lat < 7.5 && lng < 119.4)) return 'south-east-asia'; // Indonesia, Malaysia with Sabah
  if (lng >= 117 && lng < 127 && lat < 21) return 'philippines';
  if (lng >= 119.9 && lng < 124 && lat < 25.5) return 'north-west-pacific'; // Taiwan, Yaeyama
  if (lng >= 113.8 && lng < 114.5 && lat < 22.56) return 'north-west-pacific'; // Hong Kong
  if (lng < 117 && lat < heightAt(SOUTH_OF_CHINA, lng)) return 'south-east-asia';
  if (lng < 124 || lat > 43) return 'china';
  return 'north-west-pacific';
}

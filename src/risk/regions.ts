import { type Continent, countryFacts } from './countries.ts';
import type { CycloneRegion } from './storm/emanuel.ts';

export type { Continent };

/** Bounds of an area [degrees], edges included. */
type Box = readonly [south: number, west: number, north: number, east: number];

/** A part of a country that lies elsewhere: its bounds hold no other part of the same country. */
export interface CountryPart {
  /** ISO 3166-1 numeric code of the country. */
  readonly country: number;
  readonly name: string;
  readonly box: Box;
  readonly continent: Continent;
  readonly cycloneRegion: CycloneRegion;
}

/**
 * Parts of countries whose continent or cyclone region is not that of the country. The Canary Islands, Ceuta, Melilla,
 * Madeira, the Azores and Svalbard keep the continent of their country: it decides the damage curve of buildings,
 * which are built as on the mainland. Hawaii keeps that of the USA, as in Eberenz et al. 2021.
 */
export const COUNTRY_PARTS: readonly CountryPart[] = [
  part(250, 'French Guiana', [1, -55, 7, -51], 'central-and-south-america', 'caribbean-mexico'),
  part(250, 'Guadeloupe and Martinique', [14, -64, 19, -60], 'central-and-south-america', 'caribbean-mexico'),
  part(250, 'Clipperton', [9, -111, 12, -107], 'central-and-south-america', 'caribbean-mexico'),
  part(250, 'Reunion', [-22, 54, -20, 57], 'africa', 'south-indian'),
  part(250, 'Mayotte', [-14, 44, -12, 46], 'africa', 'south-indian'),
  part(
    528,
    'Bonaire, Sint Eustatius and Saba',
    [11, -70, 19, -62],
    'central-and-south-america',
    'caribbean-mexico',
  ),
  part(643, 'Pacific coast of Russia', [42, 125, 63, 180], 'asia', 'north-west-pacific'),
  part(643, 'Asian Russia', [48, 60, 82, 180], 'asia', 'elsewhere'),
  part(643, 'Asian Russia beyond 180 E', [60, -180, 73, -168], 'asia', 'elsewhere'),
  part(36, 'Christmas and Cocos Islands', [-13, 96, -10, 106], 'oceania', 'south-indian'),
  part(152, 'Easter Island', [-29, -111, -26, -104], 'oceania', 'oceania'),
];

function part(
  country: number,
  name: string,
  box: Box,
  continent: Continent,
  cycloneRegion: CycloneRegion,
): CountryPart {
  return { country, name, box, continent, cycloneRegion };
}

/** The part of a country that a position lies in; undefined for the country's own land. */
export function countryPart(lat: number, lng: number, country: number): CountryPart | undefined {
  if (!PARTED.has(country)) return undefined;
  return COUNTRY_PARTS.find((candidate) => candidate.country === country && isIn(candidate.box, lat, lng));
}

const PARTED = new Set(COUNTRY_PARTS.map(({ country }) => country));

/**
 * Rule for positions without a country, in order; the first box that holds the position decides. It follows latitudes
 * and longitudes, not borders, so it can be wrong within some 500 km of the edge of a continent.
 */
const COARSE: readonly (readonly [Continent, Box])[] = [
  ['north-america', [18, -180, 90, -130]],
  ['oceania', [-90, -180, 18, -130]],
  ['north-america', [25.5, -130, 90, -45]],
  ['central-and-south-america', [-90, -130, 25.5, -30]],
  ['africa', [-90, -30, 12.5, 52]],
  ['africa', [12.5, -30, 22, 38]],
  ['africa', [22, -30, 33, 34.5]],
  ['africa', [33, -30, 35.9, 0]],
  ['africa', [33, 0, 37.2, 11]],
  ['europe', [33, -45, 90, 27]],
  ['europe', [42, 27, 48, 40]],
  ['europe', [48, 27, 90, 60]],
  ['oceania', [-90, 112, -10, 180]],
  ['oceania', [-10, 141, 0, 180]],
  ['oceania', [0, 143, 22, 180]],
];

/**
 * Continent of a position.
 * @param country value of the layer `country`; without it, or for an unknown code, a coarse rule of boxes decides
 */
export function continentOf(lat: number, lng: number, country = Number.NaN): Continent {
  const facts = countryFacts(country);
  if (facts !== undefined) return countryPart(lat, lng, country)?.continent ?? facts.continent;
  return COARSE.find(([, box]) => isIn(box, lat, lng))?.[0] ?? 'asia';
}

/** Whether a position lies in a box. */
export function isIn([south, west, north, east]: Box, lat: number, lng: number): boolean {
  return lat >= south && lat <= north && lng >= west && lng <= east;
}

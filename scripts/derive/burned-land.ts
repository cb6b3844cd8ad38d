import { readFileSync } from 'node:fs';
import { KM_PER_DEGREE } from '../../src/geo/earth.ts';
import { COUNTRIES } from '../../src/risk/countries.ts';
import type { GlobalGrid } from './global-grid.ts';

/** Land of one country by climate zone [km2], and the land that burns there [km2/yr]. */
export interface BurningCountry {
  readonly numeric: number;
  /** Land by code of the zone. */
  readonly landKm2: Float64Array;
  readonly burnedKm2: number;
}

/** Share of the land that burns in a year [1/yr], by code of the zone, and how countries depart from it. */
export interface BurnedShares {
  readonly zones: Float64Array;
  /** Ratio of the burned land of a country to that of its zones, by ISO 3166-1 numeric code. */
  readonly countries: ReadonlyMap<number, number>;
  /** Standard deviation of the log ratio of countries whose own figure the fit did not use, weighted as in the fit [1]. */
  readonly spread: number;
}

const ZONES = 32;

/**
 * Burned land that a satellite product of 500 m misses, or sees by chance, in any country [km2/yr] (our choice): four
 * of its pixels. A small country without a burned pixel thus keeps a share of its zone.
 */
const UNSEEN_KM2 = 1;

/** Log spread of the share of a zone about its prior [1] (our choice). */
const ZONE_SPREAD = 0.7;
/** Log spread of a country about its zones in the fit [1], about that which comes out. */
const COUNTRY_SPREAD = 1.6;
const ROUNDS = 60;
/** Land of a country that weighs half as much in the fit as a large one [km2] (our choice): 250 pixels across. */
const SMALL_KM2 = 15_000;

/** Kosovo is in the figure of Serbia. */
const KOSOVO = 983;
const SERBIA = 688;

/** Reads the table of burned shares and adds up the land of the countries by climate zone. */
export function burningCountries(
  table: string,
  grid: GlobalGrid,
  zones: ArrayLike<number>,
  countries: ArrayLike<number>,
): BurningCountry[] {
  const land = new Map<number, Float64Array>();
  for (let cell = 0; cell < zones.length; cell++) {
    const numeric = countryCode(countries[cell]!);
    if (numeric === 0 || zones[cell] === 0) continue;
    const latitude = grid.north - Math.floor(cell / grid.width) * grid.step;
    const area = (grid.step * KM_PER_DEGREE) ** 2 * Math.cos((latitude * Math.PI) / 180);
    const byZone = land.get(numeric) ?? new Float64Array(ZONES);
    byZone[zones[cell]!]! += area;
    land.set(numeric, byZone);
  }
  const shares = new Map(
    readFileSync(table, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => row.split(',') as [string, string]),
  );
  return COUNTRIES.flatMap(({ numeric, iso3 }) => {
    const landKm2 = land.get(numeric);
    const share = shares.get(iso3);
    if (landKm2 === undefined || share === undefined) return [];
    const burnedKm2 = (Number(share) / 100) * landKm2.reduce((sum, area) => sum + area, 0);
    return [{ numeric, landKm2, burnedKm2 }];
  });
}

/** Code of the country whose burned share a cell has. */
export function countryCode(code: number): number {
  return code === KOSOVO ? SERBIA : code;
}

/**
 * Shares of the zones that explain the burned land of the countries best, in logarithms, and the ratio of each country to
 * them.
 * @param prior share of a zone before the fit [1/yr]
 */
export function fitBurnedShares(
  countries: readonly BurningCountry[],
  prior: (zone: number) => number,
): BurnedShares {
  const zones = fitZones(countries, prior);
  let [sum, weights] = [0, 0];
  // Tenths of the countries are left out in turn, so that the spread is that of a country without a figure of its own.
  for (let fold = 0; fold < 10; fold++) {
    const others = fitZones(
      countries.filter((_, i) => i % 10 !== fold),
      prior,
    );
    for (let i = fold; i < countries.length; i += 10) {
      const weight = weightOf(countries[i]!);
      sum += weight * logRatio(countries[i]!, others) ** 2;
      weights += weight;
    }
  }
  return {
    zones,
    countries: new Map(countries.map((country) => [country.numeric, Math.exp(logRatio(country, zones))])),
    spread: Math.sqrt(sum / weights),
  };
}

function expected({ landKm2 }: BurningCountry, zones: Float64Array): number {
  return landKm2.reduce((sum, area, zone) => sum + area * zones[zone]!, 0);
}

function weightOf({ landKm2 }: BurningCountry): number {
  const land = landKm2.reduce((sum, area) => sum + area, 0);
  return land / (land + SMALL_KM2);
}

function logRatio(country: BurningCountry, zones: Float64Array): number {
  return Math.log((country.burnedKm2 + UNSEEN_KM2) / (expected(country, zones) + UNSEEN_KM2));
}

/** Least squares by coordinate-wise Gauss-Newton steps. */
function fitZones(countries: readonly BurningCountry[], prior: (zone: number) => number): Float64Array {
  const zones = Float64Array.from({ length: ZONES }, (_, zone) => (zone === 0 ? 0 : prior(zone)));
  const precision = 1 / ZONE_SPREAD ** 2;
  for (let round = 0; round < ROUNDS; round++)
    for (let zone = 1; zone < ZONES; zone++) {
      let [slope, curvature] = [precision * Math.log(prior(zone) / zones[zone]!), precision];
      for (const country of countries) {
        if (country.landKm2[zone] === 0) continue;
        const part = (country.landKm2[zone]! * zones[zone]!) / (expected(country, zones) + UNSEEN_KM2);
        const weight = weightOf(country) / COUNTRY_SPREAD ** 2;
        slope += weight * part * logRatio(country, zones);
        curvature += weight * part ** 2;
      }
      zones[zone]! *= Math.exp(slope / curvature);
    }
  return zones;
}

import { COUNTRY_TABLE } from './country-table.ts';
import type { CycloneRegion } from './storm/emanuel.ts';

/** The continents that have JRC damage curves. */
export type Continent =
  | 'europe'
  | 'north-america'
  | 'central-and-south-america'
  | 'asia'
  | 'africa'
  | 'oceania';

/** Income group of a country (World Bank). */
export type IncomeGroup = 'low' | 'lower-middle' | 'upper-middle' | 'high';

/** Facts about a country that the models use; `data/SOURCE.md` names their sources. Years are NaN where unknown. */
export interface CountryFacts {
  /** ISO 3166-1 numeric code, the value of the layer `country`. */
  readonly numeric: number;
  /** ISO 3166-1 alpha-3 code; XKX is Kosovo. */
  readonly iso3: string;
  readonly continent: Continent;
  readonly cycloneRegion: CycloneRegion;
  /** Whether the cyclone region is published; otherwise it is that of the neighbours. */
  readonly isRegionPublished: boolean;
  /** Null for territories without a class. */
  readonly income: IncomeGroup | null;
  /** Return period that river defences hold, least, by area the median, and greatest of the provinces [years]. */
  readonly riverYears: readonly [least: number, median: number, greatest: number];
  /** Share of the area whose river standard is inferred from wealth, not from a design or a policy [0-1]. */
  readonly riverGuessedShare: number;
  /** Greatest return period that sea defences are designed for, and that a policy demands [years]. */
  readonly coastDesignYears: number;
  readonly coastPolicyYears: number;
}

/** All countries, in the order of their numeric codes. */
export const COUNTRIES: readonly CountryFacts[] = COUNTRY_TABLE.trim()
  .split('\n')
  .slice(1)
  .map((row) => countryOf(row.split(',')));

const BY_NUMERIC = new Map(COUNTRIES.map((country) => [country.numeric, country]));

/** Facts about the country with an ISO 3166-1 numeric code; undefined for NaN and unknown codes. */
export function countryFacts(numeric: number): CountryFacts | undefined {
  return BY_NUMERIC.get(numeric);
}

function countryOf(cells: readonly string[]): CountryFacts {
  const years = (column: number): number => (cells[column] === '' ? Number.NaN : Number(cells[column]));
  return {
    numeric: Number(cells[0]),
    iso3: cells[1]!,
    continent: cells[2] as Continent,
    cycloneRegion: cells[3] as CycloneRegion,
    isRegionPublished: cells[4] === 'paper',
    income: cells[5] === '' ? null : (cells[5] as IncomeGroup),
    riverYears: [years(6), years(7), years(8)],
    riverGuessedShare: years(9) / 100,
    coastDesignYears: years(10),
    coastPolicyYears: years(11),
  };
}

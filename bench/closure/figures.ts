import { join } from 'node:path';
import type { Peril } from '../../src/risk/assessment.ts';
import { type Row, readTable } from '../../test/fixtures/csv-table.ts';
import { readShared } from './tables.ts';

/** Published or reported mean annual damage of a country or a group of countries, as a share of its stock. */
export interface Figure {
  readonly peril: Peril;
  /** Name of the country or group. */
  readonly name: string;
  /** Its countries by ISO 3166-1 alpha-3 code, or one US state as `US-FL`. */
  readonly members: readonly string[];
  /** Lower and upper end of what is published [1/yr]; equal where there is one figure. */
  readonly low: number;
  readonly high: number;
  /** `test`: a model is judged by it. `lower bound`: too many losses are missing. `model`: the figure of a model. */
  readonly standing: 'test' | 'lower bound' | 'model';
  readonly source: string;
}

const HANZE_LEAST_LOSSES = 10; // events with a known loss; as the data set's README demands
const HANZE_LEAST_SHARE = 1 / 3; // of the events have a known loss; else the mean is far too low (Greece: 12 of 77)
/** Eurostat's codes of countries that differ from ISO 3166-1 alpha-2, and all others of HANZE, by alpha-3 code. */
const HANZE_CODES: Readonly<Record<string, string>> = {
  AL: 'ALB', AT: 'AUT', BA: 'BIH', BE: 'BEL', BG: 'BGR', CH: 'CHE', CY: 'CYP', CZ: 'CZE', DE: 'DEU', DK: 'DNK',
  EE: 'EST', EL: 'GRC', ES: 'ESP', FI: 'FIN', FR: 'FRA', HR: 'HRV', HU: 'HUN', IE: 'IRL', IS: 'ISL', IT: 'ITA',
  LT: 'LTU', LU: 'LUX', LV: 'LVA', ME: 'MNE', MK: 'MKD', MT: 'MLT', NL: 'NLD', NO: 'NOR', PL: 'POL', PT: 'PRT',
  RO: 'ROU', RS: 'SRB', SE: 'SWE', SI: 'SVN', SK: 'SVK', UK: 'GBR',
}; // prettier-ignore

/** Years of the means of NOAA's billion-dollar disasters. */
const NOAA_YEARS = [1980, 2024] as const;
const NOAA_RECENT_YEARS = [2000, 2024] as const;

/**
 * Insured subsidence: France 480 million euro of 2023 a year in 1995-2019 (CCR 2023, in SDES 2023, Chiffres cles des
 * risques naturels, section 2.3) to 1,400 million in 2016-2022 (CCR, in L'Actuariel 2024); United Kingdom
 * 3 billion pounds in ten years (British Geological Survey, shrink-swell clays), at 1.12 euro for a pound in 2020
 * (European Central Bank). Euro of 2023 are taken as euro of 2020: prices rose by some 13 %.
 */
const SUBSIDENCE_BN_EUR = { FRA: [0.48, 1.4], GBR: [0.336, 0.336] } as const;

/** Value of all produced capital by country [bn euro of 2020]: gross domestic product over output per capital. */
export function europeanStock(): ReadonlyMap<string, number> {
  return new Map(
    readTable(join(import.meta.dirname, 'europe-stock.csv')).map((row) => [
      row['iso3']!,
      Number(row['gdp_2020_bn_eur']) / Number(row['gdp_per_capital']),
    ]),
  );
}

/** All published figures. Needs the shared data sets. */
export function publishedFigures(): readonly Figure[] {
  return [...europeanFloods(), ...cycloneRegions(), ...unitedStates(), ...states(), ...subsidence()];
}

function europeanFloods(): Figure[] {
  const stock = europeanStock();
  return readShared('europe-flood-losses/country_1981_2020.csv').flatMap((row) => {
    const iso3 = HANZE_CODES[row['country']!];
    const value = iso3 === undefined ? undefined : stock.get(iso3);
    const loss = Number(row['mean_annual_loss_meur2020']) / 1000;
    if (iso3 === undefined || value === undefined || loss === 0) return [];
    const known = Number(row['events_with_loss']);
    const isTest = known >= HANZE_LEAST_LOSSES && known >= HANZE_LEAST_SHARE * Number(row['events']);
    return {
      peril: 'flood' as const,
      name: row['country_name']!,
      members: [iso3],
      low: loss / value,
      high: loss / value,
      standing: isTest ? ('test' as const) : ('lower bound' as const),
      source: `HANZE v2.1 1981-2020, ${known} of ${row['events']} events with a loss`,
    };
  });
}

function cycloneRegions(): Figure[] {
  const members = Map.groupBy(
    readShared('cyclone-damage-by-region/country_region.csv').filter((row) => row['used_in_fit'] === 'yes'),
    (row) => row['region']!,
  );
  return readShared('cyclone-damage-by-region/regions.csv').flatMap((row) => {
    const countries = members.get(row['region']!);
    if (countries === undefined) return [];
    const ratio = Number(row['reported_bn']) / Number(row['asset_value_2014_bn']);
    return {
      peril: 'storm' as const,
      name: row['name']!,
      members: countries.map((country) => country['iso3']!),
      low: ratio,
      high: ratio,
      standing: 'test' as const,
      source: 'Eberenz et al. 2021, EM-DAT 1980-2017 normalised to 2014',
    };
  });
}

function unitedStates(): Figure[] {
  const rows = readShared('us-expected-annual-loss/state_expected_annual_loss.csv');
  const value = sumOf(rows, 'building_value_usd');
  const fema = (...hazards: readonly string[]): number =>
    hazards.reduce((sum, hazard) => sum + sumOf(rows, `${hazard}_building_eal_usd`), 0) / value;
  const events = readShared('us-billion-dollar-disasters/events_1980_2024.csv');
  const noaa = (disaster: string, [first, last]: readonly [number, number]): number =>
    (1e6 *
      sumOf(
        events.filter((event) => {
          const year = Number(event['begin']!.slice(0, 4));
          return event['disaster'] === disaster && year >= first && year <= last;
        }),
        'cost_cpi_musd',
      )) /
    (last - first + 1) /
    value;
  const between = (peril: Peril, ends: readonly number[], source: string): Figure => ({
    peril,
    name: 'United States',
    members: ['USA'],
    low: Math.min(...ends),
    high: Math.max(...ends),
    standing: 'test',
    source,
  });
  return [
    between(
      'flood',
      [noaa('Flooding', NOAA_YEARS), fema('inland_flood', 'coastal_flood')],
      'NOAA billion-dollar floods 1980-2024 to FEMA inland and coastal flood',
    ),
    between(
      'storm',
      [fema('hurricane', 'strong_wind'), noaa('Tropical Cyclone', NOAA_YEARS)],
      'FEMA hurricane and strong wind to NOAA billion-dollar cyclones 1980-2024 (surge and contents in)',
    ),
    between(
      'wildfire',
      [fema('wildfire'), noaa('Wildfire', NOAA_YEARS), noaa('Wildfire', NOAA_RECENT_YEARS)],
      'FEMA and NOAA billion-dollar wildfires 1980-2024 and 2000-2024',
    ),
  ];
}

/** FEMA's figures by state: those of a model. Inland flood is some 14 times what is observed and left out. */
function states(): Figure[] {
  return readShared('us-expected-annual-loss/state_expected_annual_loss.csv').flatMap((row) =>
    (
      [
        ['storm', ['hurricane', 'strong_wind']],
        ['wildfire', ['wildfire']],
      ] as const
    ).map(([peril, hazards]) => {
      const ratio =
        hazards.reduce((sum, hazard) => sum + Number(row[`${hazard}_building_eal_usd`]), 0) /
        Number(row['building_value_usd']);
      return {
        peril,
        name: row['name']!,
        members: [`US-${row['state']!}`],
        low: ratio,
        high: ratio,
        standing: 'model' as const,
        source: `FEMA National Risk Index 1.20: ${hazards.join(' and ').replace('_', ' ')}`,
      };
    }),
  );
}

function subsidence(): Figure[] {
  const stock = europeanStock();
  return Object.entries(SUBSIDENCE_BN_EUR).map(([iso3, [low, high]]) => ({
    peril: 'subsidence',
    name: iso3 === 'FRA' ? 'France' : 'United Kingdom',
    members: [iso3],
    low: low / stock.get(iso3)!,
    high: high / stock.get(iso3)!,
    standing: 'test',
    source:
      iso3 === 'FRA'
        ? 'CCR: insured drought subsidence 1995-2019 and 2016-2022'
        : 'British Geological Survey: shrink-swell clays, ten years',
  }));
}

function sumOf(rows: readonly Row[], column: string): number {
  return rows.reduce((sum, row) => sum + Number(row[column]), 0);
}

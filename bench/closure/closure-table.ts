import { join } from 'node:path';
import { PERILS } from '../../src/contract/vocabulary.ts';
import type { Peril } from '../../src/risk/assessment.ts';
import { percentile } from '../../src/numerics/percentile.ts';
import { readTable } from '../../test/fixtures/csv-table.ts';
import type { Points, ShippedAnswers } from '../../test/fixtures/shipped-answers.ts';
import { type Figure, publishedFigures } from './figures.ts';
import type { CountryPoints } from './people.ts';
import { readShared } from './tables.ts';

/** Expected annual damage ratio of a country or a state [1/yr]. */
export interface Modelled {
  readonly place: string;
  readonly peril: Peril;
  readonly points: number;
  /** Mean and median over the people. */
  readonly mean: number;
  readonly median: number;
}

/** A published figure beside the model's mean. */
export interface Comparison extends Figure {
  readonly modelled: number;
  /** Modelled over published: over the nearer end outside of the published range, 1 within it. */
  readonly factor: number;
}

/** Fewest points from which a country's mean is stated. */
const LEAST_POINTS = 50;

/** Annual damage of all countries and US states by peril. */
export function modelledDamage(
  answers: ShippedAnswers,
  countries: ReadonlyMap<string, CountryPoints>,
): readonly Modelled[] {
  const places: [string, Points][] = [...countries, ...statePoints()];
  return PERILS.flatMap((peril) =>
    places
      .filter(([, { lats }]) => lats.length >= LEAST_POINTS || lats.length === STATE_POINTS)
      .map(([place, points]) => {
        const ratios = answers.assess(peril, points).map((answer) => answer.expectedAnnualDamageRatio);
        const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
        return {
          place,
          peril,
          points: ratios.length,
          mean,
          median: percentile(Float64Array.from(ratios), 0.5),
        };
      }),
  );
}

/** Published figures beside the model's means. */
export function comparisons(
  modelled: readonly Modelled[],
  countries: ReadonlyMap<string, CountryPoints>,
): readonly Comparison[] {
  const means = new Map(modelled.map(({ place, peril, mean }) => [`${place} ${peril}`, mean]));
  const capital = capitalPerPerson();
  return publishedFigures().flatMap((figure) => {
    let [sum, weights] = [0, 0];
    for (const member of figure.members) {
      const mean = means.get(`${member} ${figure.peril}`);
      if (mean === undefined) continue;
      const weight = figure.members.length === 1 ? 1 : (countries.get(member)?.people ?? 0) * capital(member);
      sum += weight * mean;
      weights += weight;
    }
    return weights > 0
      ? [{ ...figure, modelled: sum / weights, factor: factorOf(sum / weights, figure) }]
      : [];
  });
}

function factorOf(modelled: number, { low, high }: Figure): number {
  return modelled < low ? modelled / low : modelled > high ? modelled / high : 1;
}

/** Produced capital of a person; where it is not known, the median of the countries of the same income group. */
function capitalPerPerson(): (iso3: string) => number {
  const income = new Map(
    readShared('country-codes/country_codes.csv').map((row) => [row['iso3']!, row['income_group']!]),
  );
  const known = new Map(
    readTable(join(import.meta.dirname, 'cyclone-capital.csv')).map((row) => [
      row['iso3']!,
      Number(row['gdp_per_person']) / Number(row['gdp_per_capital']),
    ]),
  );
  const byIncome = Map.groupBy(known, ([iso3]) => income.get(iso3) ?? '');
  return (iso3) => {
    const group = byIncome.get(income.get(iso3) ?? '') ?? [...known];
    return (
      known.get(iso3) ??
      percentile(
        Float64Array.from(group, ([, value]) => value),
        0.5,
      )
    );
  };
}

/** Points of each US state in `us-state-places.csv`. */
const STATE_POINTS = 40;

function statePoints(): [string, Points][] {
  const rows = readTable(join(import.meta.dirname, 'us-state-places.csv'));
  return Array.from(
    Map.groupBy(rows, (row) => `US-${row['state']}`),
    ([state, its]) => [
      state,
      {
        lats: Float64Array.from(its, (row) => Number(row['lat'])),
        lngs: Float64Array.from(its, (row) => Number(row['lng'])),
      },
    ],
  );
}

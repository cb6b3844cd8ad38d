/**
 * Closure: expected annual damage by country from the layers that ship, weighted by where people live, against
 * reported and published losses. Goal: within a factor of 3 for 80 % of the figures, within 10 for all, and no
 * country's median over 1 % a year. Needs the shared data sets. NAME...: `--json` prints everything as JSON;
 * `--catalogue FILE` assesses with the layers of another catalogue, and `--people FILE` reads the layers
 * `population-density` and `country` from another one.
 */
import { parseArgs } from 'node:util';
import { SHIPPED_CATALOGUE } from '../test/fixtures/prepared-layers.ts';
import { ShippedAnswers } from '../test/fixtures/shipped-answers.ts';
import { type Comparison, comparisons, type Modelled, modelledDamage } from './closure/closure-table.ts';
import { type CountryPoints, drawPeople } from './closure/people.ts';
import { hasShared, readShared } from './closure/tables.ts';

const POINTS = 300; // of a country
const POINTS_USA = 2000; // the figures of the United States are the best known
const USA = 840;
const NEAR = 3; // factor within which the share below must lie
const NEAR_SHARE = 0.8;
const FAR = 10; // factor within which all must lie
const GREATEST_MEDIAN = 0.01; // annual damage ratio that no country's median may exceed [1/yr]
const LISTED = 25; // countries with the greatest medians that are printed

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    catalogue: { type: 'string', default: SHIPPED_CATALOGUE },
    people: { type: 'string' },
  },
});

const SETS = [
  'europe-flood-losses',
  'cyclone-damage-by-region',
  'us-expected-annual-loss',
  'us-billion-dollar-disasters',
  'country-codes',
];
if (SETS.every(hasShared)) await measure();
else console.log(`Not measured: the shared data sets ${SETS.join(', ')} are absent`);

async function measure(): Promise<void> {
  const people = options.people ?? options.catalogue;
  const answers = await ShippedAnswers.open([...new Set([options.catalogue, people])]);
  const iso3 = new Map(
    readShared('country-codes/country_codes.csv').map((row) => [Number(row['iso_numeric']), row['iso3']!]),
  );
  const drawn = await drawPeople(people, answers, (country) => (country === USA ? POINTS_USA : POINTS));
  const countries = new Map<string, CountryPoints>();
  for (const [numeric, points] of drawn) countries.set(iso3.get(numeric) ?? `(${numeric})`, points);
  const modelled = modelledDamage(answers, countries);
  const compared = comparisons(modelled, countries);
  answers.close();
  if (options.json) console.log(JSON.stringify({ compared, modelled }, null, 1));
  else print(compared, modelled);
  if (!isReached(compared, modelled)) process.exitCode = 1;
}

function isWithin(factor: number, limit: number): boolean {
  return factor >= 1 / limit && factor <= limit;
}

function isReached(compared: readonly Comparison[], modelled: readonly Modelled[]): boolean {
  const tests = compared.filter(({ standing }) => standing === 'test');
  const near = tests.filter(({ factor }) => isWithin(factor, NEAR)).length;
  return (
    near >= NEAR_SHARE * tests.length &&
    tests.every(({ factor }) => isWithin(factor, FAR)) &&
    modelled.every(({ place, median }) => place.startsWith('US-') || median <= GREATEST_MEDIAN)
  );
}

function print(compared: readonly Comparison[], modelled: readonly Modelled[]): void {
  for (const [peril, its] of Map.groupBy(compared, (comparison) => comparison.peril)) {
    console.log(`\n${peril}: mean annual damage, per mille of the value`);
    console.log(
      '| place | standing | published | modelled | factor | source |\n| --- | --- | --- | --- | --- | --- |',
    );
    for (const { name, standing, low, high, modelled: mean, factor, source } of its.toSorted(
      (a, b) => order(a) - order(b) || Math.abs(Math.log(b.factor)) - Math.abs(Math.log(a.factor)),
    )) {
      const published = low === high ? perMille(low) : `${perMille(low)} to ${perMille(high)}`;
      console.log(
        `| ${name} | ${standing} | ${published} | ${perMille(mean)} | ${factor.toPrecision(2)} | ${source} |`,
      );
    }
  }
  console.log(
    '\n| peril | figures | within 3 | within 10 | geometric mean | log spread |\n| --- | --- | --- | --- | --- | --- |',
  );
  const tests = compared.filter(({ standing }) => standing === 'test');
  for (const [peril, its] of [...Map.groupBy(tests, (test) => test.peril as string), ['all', tests] as const])
    console.log(
      `| ${peril} | ${its.length} | ${shareWithin(its, NEAR)} | ${shareWithin(its, FAR)} | ${spread(its)} |`,
    );
  const great = modelled
    .filter(({ place, median }) => !place.startsWith('US-') && median > GREATEST_MEDIAN)
    .toSorted((a, b) => b.median - a.median);
  console.log(`\n${great.length} medians over 1 % a year (goal 0)`);
  for (const { place, peril, median, mean } of great.slice(0, LISTED))
    console.log(
      `${place} ${peril}: median ${(100 * median).toFixed(2)} %, mean ${(100 * mean).toFixed(2)} %`,
    );
  console.log(isReached(compared, modelled) ? 'The goal is reached.' : 'The goal is not reached.');
}

/** Tests first, then lower bounds, then models. */
function order({ standing }: Comparison): number {
  return ['test', 'lower bound', 'model'].indexOf(standing);
}

function perMille(ratio: number): string {
  return (1000 * ratio).toPrecision(2);
}

function shareWithin(its: readonly Comparison[], limit: number): string {
  const count = its.filter(({ factor }) => isWithin(factor, limit)).length;
  return `${count} (${Math.round((100 * count) / its.length)} %)`;
}

/** Mean and standard deviation of the logarithm of the factors, the mean as a factor. */
function spread(its: readonly Comparison[]): string {
  const logs = its.map(({ factor }) => Math.log(factor));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / logs.length;
  return `${Math.exp(mean).toPrecision(2)} | ${Math.sqrt(variance).toFixed(2)}`;
}

/**
 * Calibration of the confidence of changes of greenness on real ground: a logistic regression with an intercept for
 * each kind of ground, on the monitor's claims in the labelled sets and in stacks spliced from real series. Claims are
 * taken at three times of each record, as a user hears them.
 *
 * Without an option the command checks: the shipped coefficients on spliced stacks of other seeds, and on all claims
 * what a fit to the other sources of series would have stated (leave-one-source-out), beside what is stated. `--write`
 * fits the coefficients again and writes them to src/change/object/claim-figures.ts. This changes answers, so raise the
 * model version.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLAIM_COEFFICIENTS } from '../src/change/object/claim-figures.ts';
import { bounded, claimTerms } from '../src/change/object/claim-model.ts';
import { bootstrapInterval } from './accuracy/bootstrap.ts';
import { calibrationError } from './accuracy/calibration-error.ts';
import { judgedClaims, type JudgedClaim } from './accuracy/judged-claims.ts';
import { coefficientsOfNewGroup, fitMixed, type MixedFit } from './accuracy/mixed-logistic.ts';
import { BUILD_SEEDS, makeStacks } from './accuracy/sets/conversions.ts';
import { labelledStacks, RELIABILITY } from './accuracy/sets/reliability.ts';
import { Random } from './calibration/simulated-case.ts';

const CHECK_SEEDS = [211, 212, 213, 214];
const DIGITS = 4;
const DRAWS = 1000; // resamples of the interval
const DRAW_SEED = 1; // seed of the resamples

/** A claim, and whether it is of a labelled set or of a spliced stack. */
type FittedClaim = JudgedClaim & { readonly isLabelled: boolean };

async function splicedClaims(seeds: readonly number[]): Promise<FittedClaim[]> {
  const claims = (await makeStacks(seeds)).flatMap(judgedClaims);
  return claims.map((claim) => ({ ...claim, object: `spliced ${claim.object}`, isLabelled: false }));
}

async function labelledClaims(): Promise<FittedClaim[]> {
  return (await labelledStacks()).flatMap(judgedClaims).map((claim) => ({ ...claim, isLabelled: true }));
}

/** Fits to claims. The claims of one object weigh as much as one claim. */
function fit(claims: readonly FittedClaim[]): MixedFit {
  const byObject = Map.groupBy(claims, ({ object }) => object);
  return fitMixed({
    terms: claims.map(({ features }) => claimTerms(features)),
    outcomes: claims.map(({ isTrue }) => isTrue),
    weights: claims.map(({ object }) => 1 / byObject.get(object)!.length),
    // Spliced stacks hold more true changes than labelled ones, so they are grounds of their own.
    groups: claims.map(({ ground, isLabelled }) => `${ground}${isLabelled ? ', labelled' : ''}`),
  });
}

function coefficientsOf(fitted: MixedFit): number[] {
  return coefficientsOfNewGroup(fitted).map((value) => Number(value.toFixed(DIGITS)));
}

/** Confidence by the given coefficients, as `claimConfidence` states it, within the maximum of such a claim. */
function confidenceBy(coefficients: readonly number[], { features, most }: JudgedClaim): number {
  const odds = claimTerms(features).reduce((sum, term, i) => sum + term * coefficients[i]!, 0);
  return Math.min(most, bounded(1 / (1 + Math.exp(-odds))));
}

/** States each claim by a fit to the claims of all other sources. */
function leftOut(claims: readonly FittedClaim[]): ReadonlyMap<FittedClaim, number> {
  const stated = new Map<FittedClaim, number>();
  for (const [source, members] of Map.groupBy(claims, (claim) => claim.source)) {
    const coefficients = coefficientsOf(fit(claims.filter((claim) => claim.source !== source)));
    for (const claim of members) stated.set(claim, confidenceBy(coefficients, claim));
  }
  return stated;
}

function describe(name: string, claims: readonly JudgedClaim[], stated: readonly number[]): string {
  const truths = claims.map(({ isTrue }) => isTrue);
  const brier = stated.reduce((sum, p, i) => sum + (p - (truths[i]! ? 1 : 0)) ** 2, 0) / claims.length;
  const mean = stated.reduce((sum, p) => sum + p, 0) / claims.length;
  const frequency = truths.filter(Boolean).length / claims.length;
  const objects = [...new Set(claims.map(({ object }) => object))];
  const indexOf = new Map(objects.map((object, i) => [object, i]));
  const clusters = claims.map(({ object }) => indexOf.get(object)!);
  const random = new Random(DRAW_SEED);
  const { low, high } = bootstrapInterval(
    [[...objects.keys()]],
    (times) =>
      calibrationError(
        stated,
        truths,
        clusters.map((cluster) => times[cluster]!),
      ),
    DRAWS,
    () => random.uniform(),
  );
  return (
    `${name.padEnd(30)} ${String(claims.length).padStart(5)} claims, ${objects.length} objects, stated ${mean.toFixed(3)}, true ${frequency.toFixed(3)}, ` +
    `Brier ${brier.toFixed(4)} (climatology ${(frequency * (1 - frequency)).toFixed(4)}), ` +
    `ECE ${calibrationError(stated, truths).toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`
  );
}

/** Prints lines for all claims, and for the members of each group. */
function print(
  name: string,
  claims: readonly FittedClaim[],
  statedOf: (claim: FittedClaim) => number,
  groupOf: (claim: FittedClaim) => string,
): void {
  console.log(describe(name, claims, claims.map(statedOf)));
  for (const [group, members] of Map.groupBy(claims, groupOf))
    console.log(describe(`  ${group}`, members, members.map(statedOf)));
}

if (!RELIABILITY.isPresent()) {
  console.error('The labelled data that the claims come from are not beside the repository');
  process.exitCode = 2;
} else {
  const labelled = await labelledClaims();
  const all = [...(await splicedClaims(BUILD_SEEDS)), ...labelled];
  const fitted = fit(all);
  if (process.argv.includes('--write')) {
    const coefficients = coefficientsOf(fitted);
    writeFileSync(
      join(import.meta.dirname, '../src/change/object/claim-figures.ts'),
      [
        '/**',
        ' * Coefficients of the terms of `claimTerms`. Generated by `node bench/claim-calibration.ts --write`. Do not edit.',
        ' */',
        `export const CLAIM_COEFFICIENTS: readonly number[] = [${coefficients.join(', ')}];`,
        '',
      ].join('\n'),
    );
    console.log(`fitted to ${all.length} claims: ${coefficients.join(', ')}; run again to check`);
  } else {
    console.log(`coefficients ${CLAIM_COEFFICIENTS.join(', ')}`);
    console.log(`variance between kinds of ground ${fitted.variance} squared log-odds, deviations:`);
    for (const [ground, deviation] of fitted.deviations) console.log(`  ${ground}: ${deviation.toFixed(2)}`);
    const stated = leftOut(all);
    const statedOf = (claim: FittedClaim): number => stated.get(claim)!;
    print('labelled, source left out', labelled, statedOf, ({ ground }) => ground);
    print('all, source left out', all, statedOf, ({ source }) => source);
    const shipped = (claim: FittedClaim): number => confidenceBy(CLAIM_COEFFICIENTS, claim);
    print('all, shipped', all, shipped, ({ source }) => source);
    const others = await splicedClaims(CHECK_SEEDS);
    print('spliced, other seeds', others, shipped, ({ ground }) => ground);
    print('the same', others, shipped, ({ features }) => (features.isConfirmed ? 'confirmed' : 'suspected'));
  }
}

/**
 * Calibration of the confidence of changes of greenness on real ground: a logistic regression on the monitor's claims
 * in stacks spliced from real series, whose truth is known. Claims are taken at three times of each record, as a user
 * hears them. The check uses stacks of other seeds. `--write` fits the coefficients again and writes them to
 * src/change/object/claim-figures.ts. This changes answers, so raise the model version.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLAIM_COEFFICIENTS } from '../src/change/object/claim-figures.ts';
import { claimConfidence, type ClaimFeatures, claimTerms } from '../src/change/object/claim-model.ts';
import { claimFeatures } from '../src/change/object/confidence.ts';
import { calibrationError } from './accuracy/calibration-error.ts';
import { followBy, TOGETHER } from './accuracy/detections/detection.ts';
import { BUILD_SEEDS, CONVERSIONS, makeStacks } from './accuracy/sets/conversions.ts';
import { beginning, CUTS } from './accuracy/sets/reliability.ts';

const CHECK_SEEDS = [211, 212, 213, 214];
const RIDGE = 1; // prior precision of each coefficient: keeps a fit to few claims from diverging (our choice)
const STEPS = 50; // Newton steps; the fit converges within ten
const DIGITS = 4;

/** A claim of the monitor and whether it is true. */
interface JudgedClaim {
  readonly ground: string;
  readonly features: ClaimFeatures;
  readonly isTrue: boolean;
}

async function claimsOf(seeds: readonly number[]): Promise<JudgedClaim[]> {
  return (await makeStacks(seeds)).flatMap(({ ground, stack, truths }) =>
    CUTS.flatMap((part) =>
      followBy(beginning(stack, part), TOGETHER).objects.flatMap((object) => {
        if (object.status !== 'suspected' && object.status !== 'confirmed') return [];
        const known = [...object.pixels].map((p) => truths[p]!).filter((truth) => truth !== 'unknown');
        if (known.length === 0) return [];
        const { firstAnomalyMs } = object;
        const right = known.filter(
          (truth) => truth !== 'stable' && firstAnomalyMs >= truth.fromMs && firstAnomalyMs <= truth.toMs,
        );
        return { ground, features: claimFeatures(object), isTrue: 2 * right.length >= known.length };
      }),
    ),
  );
}

/** Solves a symmetric positive definite system by Gauss elimination. */
function solve(matrix: number[][], right: number[]): number[] {
  const n = right.length;
  const rows = matrix.map((row, i) => [...row, right[i]!]);
  for (let i = 0; i < n; i++)
    for (let j = i + 1; j < n; j++) {
      const factor = rows[j]![i]! / rows[i]![i]!;
      for (let k = i; k <= n; k++) rows[j]![k]! -= factor * rows[i]![k]!;
    }
  const result = Array.from({ length: n }, () => 0);
  for (let i = n - 1; i >= 0; i--) {
    let sum = rows[i]![n]!;
    for (let k = i + 1; k < n; k++) sum -= rows[i]![k]! * result[k]!;
    result[i] = sum / rows[i]![i]!;
  }
  return result;
}

/** Logistic regression by Newton's method. */
function fit(claims: readonly JudgedClaim[]): number[] {
  const terms = claims.map(({ features }) => claimTerms(features));
  const size = terms[0]!.length;
  let weights = Array.from({ length: size }, () => 0);
  for (let step = 0; step < STEPS; step++) {
    const gradient = weights.map((weight) => -RIDGE * weight);
    const curvature = weights.map((_, i) => weights.map((__, j) => (i === j ? RIDGE : 0)));
    for (const [c, row] of terms.entries()) {
      const odds = row.reduce((sum, term, i) => sum + term * weights[i]!, 0);
      const probability = 1 / (1 + Math.exp(-odds));
      const error = (claims[c]!.isTrue ? 1 : 0) - probability;
      for (let i = 0; i < size; i++) {
        gradient[i]! += error * row[i]!;
        for (let j = 0; j < size; j++)
          curvature[i]![j]! += probability * (1 - probability) * row[i]! * row[j]!;
      }
    }
    const change = solve(curvature, gradient);
    weights = weights.map((weight, i) => weight + change[i]!);
  }
  return weights.map((weight) => Number(weight.toFixed(DIGITS)));
}

function describe(name: string, claims: readonly JudgedClaim[]): string {
  const stated = claims.map(({ features }) => claimConfidence(features));
  const truths = claims.map(({ isTrue }) => isTrue);
  const brier = stated.reduce((sum, p, i) => sum + (p - (truths[i]! ? 1 : 0)) ** 2, 0) / claims.length;
  const mean = stated.reduce((sum, p) => sum + p, 0) / claims.length;
  const frequency = truths.filter(Boolean).length / claims.length;
  return (
    `${name.padEnd(30)} ${String(claims.length).padStart(5)} claims, stated ${mean.toFixed(3)}, true ${frequency.toFixed(3)}, ` +
    `Brier ${brier.toFixed(4)} (climatology ${(frequency * (1 - frequency)).toFixed(4)}), ECE ${calibrationError(stated, truths).toFixed(3)}`
  );
}

if (!CONVERSIONS.isPresent()) {
  console.error('The labelled data that the claims come from are not beside the repository');
  process.exitCode = 2;
} else if (process.argv.includes('--write')) {
  const claims = await claimsOf(BUILD_SEEDS);
  const coefficients = fit(claims);
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
  console.log(`fitted to ${claims.length} claims: ${coefficients.join(', ')}; run again to check`);
} else {
  const claims = await claimsOf(CHECK_SEEDS);
  console.log(`coefficients ${CLAIM_COEFFICIENTS.join(', ')}`);
  console.log(describe('claims not used in the fit', claims));
  for (const [ground, members] of Map.groupBy(claims, (claim) => claim.ground))
    console.log(describe(ground, members));
  const byState = Map.groupBy(claims, ({ features }) => (features.isConfirmed ? 'confirmed' : 'suspected'));
  for (const [state, members] of byState) console.log(describe(state, members));
}

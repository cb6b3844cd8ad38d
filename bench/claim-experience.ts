/**
 * How the fates of claims move the confidence: the origin of `PARAMETERS.experience`, and a check of it. Fates and
 * truth of the claims come from stacks spliced from real series. The constants are estimated on the seeds to build on.
 * The check judges young claims in stacks of other seeds, each moved by the older claims of its own stack.
 */
import { JULIAN_YEAR_MS } from '../src/base/time.ts';
import type { ChangeObject } from '../src/change/object/objects.ts';
import { PARAMETERS } from '../src/change/parameters.ts';
import { calibrationError } from './accuracy/calibration-error.ts';
import { followBy, TOGETHER } from './accuracy/detections/detection.ts';
import { BUILD_SEEDS, CONVERSIONS, makeStacks } from './accuracy/sets/conversions.ts';
import { beginning } from './accuracy/judged-claims.ts';

// Few claims are a year old, so there are more seeds than for the coefficients.
const FIT_SEEDS = [...BUILD_SEEDS, 15, 16, 17, 18, 19, 20, 21, 22];
const CHECK_SEEDS = [211, 212, 213, 214, 215, 216, 217, 218];
const CUTS = [0.75, 1]; // parts of a record: before that, hardly any claim is a year old
const LEAST_CLAIMS = 20; // number of claims of a kind of ground whose share is compared with that of others

/** A claim at some time, with its truth. */
interface JudgedClaim {
  readonly ground: string;
  readonly object: ChangeObject & { readonly claim: NonNullable<ChangeObject['claim']> };
  readonly isOld: boolean;
  readonly isTrue: boolean;
}

async function claimsOf(seeds: readonly number[], cuts: readonly number[]): Promise<JudgedClaim[]> {
  return (await makeStacks(seeds)).flatMap(({ ground, stack, truths }) =>
    cuts.flatMap((part) => {
      const cut = beginning(stack, part);
      const lastMs = cut.timesMs.at(-1)!;
      return followBy(cut, TOGETHER).objects.flatMap((object) => {
        const { claim, firstAnomalyMs } = object;
        const known = [...object.pixels].map((p) => truths[p]!).filter((truth) => truth !== 'unknown');
        if (claim === null || known.length === 0) return [];
        const right = known.filter(
          (truth) => truth !== 'stable' && firstAnomalyMs >= truth.fromMs && firstAnomalyMs <= truth.toMs,
        );
        return {
          ground,
          object: { ...object, claim },
          isOld: lastMs - claim.confirmedMs >= JULIAN_YEAR_MS,
          isTrue: 2 * right.length >= known.length,
        };
      });
    }),
  );
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const logOdds = (share: number): number => Math.log(share / (1 - share));
const hasStood = ({ object }: JudgedClaim): boolean => object.recoveredMs === null;
const standing = (claims: readonly JudgedClaim[]): number => mean(claims.map((c) => (hasStood(c) ? 1 : 0)));

/** Mean share of claims that is expected to stand. */
function expectedShare(claims: readonly JudgedClaim[], falseStanding: number): number {
  const stated = mean(claims.map(({ object }) => object.claim.confidence));
  return stated + (1 - stated) * falseStanding;
}

/**
 * Variance between kinds of ground of the log-odds by which more or fewer claims stood than expected, without that of
 * sampling.
 * @see doi:10.1016/0197-2456(86)90046-2 (DerSimonian & Laird 1986)
 */
function varianceBetween(grounds: readonly (readonly JudgedClaim[])[], falseStanding: number): number {
  const found = grounds.map((claims) => {
    // Half a claim is added to either outcome (Haldane 1956), since all claims of a kind may have stood.
    const total = claims.length + 1;
    const share = (claims.filter(hasStood).length + 0.5) / total;
    const difference = logOdds(share) - logOdds(expectedShare(claims, falseStanding));
    return { difference, weight: total * share * (1 - share) };
  });
  const sum = (of: (one: (typeof found)[0]) => number): number =>
    found.reduce((total, one) => total + of(one), 0);
  const weights = sum(({ weight }) => weight);
  const centre = sum(({ weight, difference }) => weight * difference) / weights;
  const spread = sum(({ weight, difference }) => weight * (difference - centre) ** 2);
  return Math.max(0, (spread - (found.length - 1)) / (weights - sum(({ weight }) => weight ** 2) / weights));
}

function describe(name: string, stated: readonly number[], truths: readonly boolean[]): string {
  const brier = mean(stated.map((p, i) => (p - (truths[i]! ? 1 : 0)) ** 2));
  return `${name}: stated ${mean(stated).toFixed(3)}, Brier ${brier.toFixed(4)}, ECE ${calibrationError(stated, truths).toFixed(3)}`;
}

if (!CONVERSIONS.isPresent()) {
  console.error('The labelled data that the claims come from are not beside the repository');
  process.exitCode = 2;
} else {
  const old = (await claimsOf(FIT_SEEDS, [1])).filter(({ isOld }) => isOld);
  const wrong = old.filter(({ isTrue }) => !isTrue);
  const falseStanding = standing(wrong);
  console.log(
    `${old.length} claims of a year or more; of ${wrong.length} false ones ${falseStanding.toFixed(2)} stood (shipped ${PARAMETERS.experience.falseStanding}), ` +
      `of the others ${standing(old.filter(({ isTrue }) => isTrue)).toFixed(2)}`,
  );
  const grounds = [...Map.groupBy(old, ({ ground }) => ground)];
  for (const [ground, claims] of grounds)
    console.log(
      `${ground.padEnd(30)} ${claims.length} claims: expected to stand ${expectedShare(claims, falseStanding).toFixed(2)}, stood ${standing(claims).toFixed(2)}`,
    );
  const compared = grounds.map(([, claims]) => claims).filter(({ length }) => length >= LEAST_CLAIMS);
  const variance = varianceBetween(compared, falseStanding);
  const share = expectedShare(old, falseStanding);
  console.log(
    `variance between kinds of ground ${variance.toFixed(2)} (shipped ${PARAMETERS.experience.variance}): worth ${(1 / (variance * share * (1 - share))).toFixed(0)} claims where ${share.toFixed(2)} are expected to stand`,
  );
  const young = (await claimsOf(CHECK_SEEDS, CUTS)).filter(
    ({ isOld, object }) => !isOld && object.status === 'confirmed',
  );
  const truths = young.map(({ isTrue }) => isTrue);
  console.log(
    `${young.length} young claims of other seeds, true ${mean(truths.map((is) => (is ? 1 : 0))).toFixed(3)}`,
  );
  console.log(
    describe(
      'by the model alone',
      young.map(({ object }) => object.modelConfidence),
      truths,
    ),
  );
  console.log(
    describe(
      'moved by experience',
      young.map(({ object }) => object.confidence),
      truths,
    ),
  );
}

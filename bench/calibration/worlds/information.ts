import { recalibrate } from '../../../src/numerics/accuracy/recalibration.ts';
import type { EvidenceKind } from '../../../src/risk/evidence-kind.ts';
import type { Information } from '../../../src/risk/calibration-record.ts';
import type { Statements } from './views.ts';

/** Number of bins of scores over [0, 1]: each is as wide as the band of the confidence. */
const SCORE_BINS = 10;
/** Number of bins of stated confidences, with equal numbers of answers. */
const CONFIDENCE_BINS = 3;
const DIGITS = 3;

/**
 * Mutual information [bits] of the true score and what is stated of it, score and confidence, by counts in bins, less
 * the bias of counts.
 * @see Miller 1955, Note on the bias of information estimates, Information Theory in Psychology, 95-100
 */
export function mutualInformation({ scores, confidences, truths }: Omit<Statements, 'found'>): number {
  const n = truths.length;
  const sorted = Float64Array.from(confidences).sort();
  const limits = Array.from(
    { length: CONFIDENCE_BINS - 1 },
    (_, k) => sorted[Math.floor(((k + 1) * n) / CONFIDENCE_BINS)]!,
  );
  const joint = new Map<number, number>();
  const said = new Map<number, number>();
  const true_ = new Map<number, number>();
  const count = (map: Map<number, number>, key: number): void => void map.set(key, (map.get(key) ?? 0) + 1);
  for (let i = 0; i < n; i++) {
    const statement = binOf(scores[i]!) * CONFIDENCE_BINS + limits.filter((x) => confidences[i]! >= x).length;
    const truth = binOf(truths[i]!);
    count(joint, statement * SCORE_BINS + truth);
    count(said, statement);
    count(true_, truth);
  }
  let bits = 0;
  for (const [key, k] of joint) {
    const expected = (said.get(Math.floor(key / SCORE_BINS))! * true_.get(key % SCORE_BINS)!) / n;
    bits += (k / n) * Math.log2(k / expected);
  }
  const bias = (joint.size - said.size - true_.size + 1) / (2 * n * Math.LN2);
  return Math.max(0, bits - bias);
}

function binOf(score: number): number {
  return Math.min(SCORE_BINS - 1, Math.floor(score * SCORE_BINS));
}

/**
 * Information of the kinds of evidence, in the order of the model, made isotonic: from wide cells to narrow ones within
 * a kind, and from kind to kind. Kinds without answers are left out.
 */
export function informationOfKinds(
  kinds: readonly EvidenceKind[],
  statements: Iterable<Statements>,
): Information[] {
  const ordered = [...statements].sort(
    (a, b) => rank(kinds, a) - rank(kinds, b) || b.found.resolutionM - a.found.resolutionM,
  );
  const bits = ordered.map(mutualInformation);
  const weights = ordered.map(({ truths }) => truths.length);
  const pools = recalibrate(
    ordered.map((_, i) => i),
    bits,
    weights,
  );
  const isotonic = (i: number): number => pools.find(({ from, to }) => i >= from && i <= to)!.frequency;
  return kinds.flatMap((kind) => {
    const own = ordered.flatMap((of, i) =>
      of.found.kind.name === kind.name ? [{ of, bits: isotonic(i) }] : [],
    );
    if (own.length === 0) return [];
    return [
      {
        name: kind.name,
        class: kind.class,
        bits: own
          .map(({ of, bits: value }) => [rounded(Math.log10(of.found.resolutionM)), rounded(value)] as const)
          .reverse(),
        cases: own.reduce((sum, { of }) => sum + of.truths.length, 0),
      },
    ];
  });
}

const rank = (kinds: readonly EvidenceKind[], { found }: Statements): number =>
  kinds.findIndex(({ name }) => name === found.kind.name);

const rounded = (value: number): number => Number(value.toFixed(DIGITS));

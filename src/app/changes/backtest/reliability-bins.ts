import { NO_CHANGE } from './labels.ts';
import type { LabelOutcome } from './label-outcome.ts';

const BINS = 10; // bins of equal width in (0, 1]

/** Labels whose stated probability of a change lies in an interval. */
export interface ReliabilityBin {
  /** Interval of the probability: above `from`, at most `to`. */
  readonly from: number;
  readonly to: number;
  /** Number of labels, at least one. */
  readonly count: number;
  /** Mean probability stated for them. */
  readonly stated: number;
  /** Share of them where something did change. */
  readonly observed: number;
}

/** Agreement of the stated probabilities with what the labels say, over the labels at which a change is claimed. */
export interface Calibration {
  /** Bins with at least one label, ascending. */
  readonly bins: readonly ReliabilityBin[];
  /** Number of labels with a confirmed or suspected change. */
  readonly claims: number;
  /** Expected calibration error: mean distance of `stated` from `observed`, weighted by count. Null without claims. */
  readonly expectedError: number | null;
}

/**
 * Computes the calibration of the probabilities. Labels without a claim state nothing and are left out: most places
 * do not change, and would make any error look small.
 * @see doi:10.1609/aaai.v29i1.9602 (Naeini, Cooper & Hauskrecht 2015)
 */
export function calibrationOf(outcomes: readonly LabelOutcome[]): Calibration {
  const claimed = outcomes.filter(({ probability }) => probability > 0);
  const groups = Map.groupBy(claimed, ({ probability }) => Math.ceil(probability * BINS) - 1);
  const bins = [...groups]
    .toSorted(([a], [b]) => a - b)
    .map(([bin, members]) => ({
      from: bin / BINS,
      to: (bin + 1) / BINS,
      count: members.length,
      stated: members.reduce((sum, { probability }) => sum + probability, 0) / members.length,
      observed: members.filter(({ label }) => label.label !== NO_CHANGE).length / members.length,
    }));
  const error = bins.reduce(
    (sum, { count, stated, observed }) => sum + count * Math.abs(stated - observed),
    0,
  );
  return {
    bins,
    claims: claimed.length,
    expectedError: claimed.length === 0 ? null : error / claimed.length,
  };
}

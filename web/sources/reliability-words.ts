import type { Models } from '../../src/client/index.ts';
import { number, whole } from '../format.ts';

export type Calibration = Models['models'][number]['calibration'];

/** How far the confidences of a model hold, and the checks in which they do not, in words. */
export function reliabilityWords(calibration: Calibration): string {
  const { ece, cases, checks, not_calibrated_for: exceptions } = calibration;
  if (ece === null) return 'Its confidences were not checked.';
  const errorOf = (basis: string): number => {
    const check = checks.find((each) => each.basis === basis);
    return Math.max(check?.ece ?? 0, check?.cross_validated?.ece ?? 0);
  };
  const held = checks.filter(({ basis }) => !exceptions.includes(basis)).map(({ basis }) => errorOf(basis));
  const checked = `Checked on ${whole(cases)} cases with known truth, most of them simulated.`;
  const within = `stated and observed shares differ by ${number(Math.max(0, ...held))} at worst`;
  if (exceptions.length === 0) return `${checked} In all checks ${within}.`;
  const listed = exceptions.map((basis) => `“${basis}” (${number(errorOf(basis))})`).join(', ');
  return `${checked} In ${held.length} of ${checks.length} checks ${within}. It does not hold in the others: ${listed}.`;
}

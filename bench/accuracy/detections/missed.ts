import { standingDetections, type PixelTruth, type TrueChange } from './detection.ts';
import type { Claim, Finding } from '../engine.ts';
import { plainFigure, share, type Figure } from '../figure.ts';

/** Why the monitor has no standing change of the right date at a pixel that really changed, by how far it came. */
export const REASONS = [
  'never suspected',
  'rejected',
  'still suspected',
  'taken back',
  'not published',
  'misdated',
] as const;
export type Reason = (typeof REASONS)[number];

/**
 * For each pixel that changed and is missed, how far the monitor came there.
 * @returns the reason by pixel; found pixels are absent
 */
export function missedPixels(truths: readonly PixelTruth[], finding: Finding): Map<number, Reason> {
  const standing = Map.groupBy(standingDetections(finding), ({ pixel }) => pixel);
  const claims = Map.groupBy(finding.claims, ({ pixel }) => pixel);
  const missed = new Map<number, Reason>();
  for (const [pixel, truth] of truths.entries()) {
    if (typeof truth === 'string') continue;
    const said = standing.get(pixel) ?? [];
    const isFound = said.some(({ onsetMs, toldMs }) => isDated(truth, onsetMs) && toldMs >= truth.knownMs);
    if (isFound) continue;
    const its = (claims.get(pixel) ?? []).filter(({ firstAnomalyMs }) => isDated(truth, firstAnomalyMs));
    missed.set(pixel, said.length > 0 ? 'misdated' : reasonOf(its));
  }
  return missed;
}

/**
 * How many changed pixels are missed, by reason.
 * @param reasons the reason of each missed pixel
 * @param changed number of pixels that changed
 */
export function missedFigure(what: string, reasons: readonly Reason[], changed: number): Figure {
  const counts = REASONS.map((reason) => [reason, reasons.filter((one) => one === reason).length] as const);
  const listed = counts.map(([reason, count]) => `${reason} ${count}`).join(', ');
  const numbers = {
    missed: reasons.length,
    changed,
    ...Object.fromEntries(counts),
  };
  return {
    ...plainFigure(what, `${share(reasons.length, changed)} missed: ${listed}`),
    numbers,
  };
}

function isDated({ fromMs, toMs }: TrueChange, onsetMs: number): boolean {
  return onsetMs >= fromMs && onsetMs <= toMs;
}

/** The farthest that one of the claims of a pixel came. */
function reasonOf(claims: readonly Claim[]): Reason {
  if (claims.length === 0) return 'never suspected';
  const confirmed = claims.filter(({ confirmedMs }) => confirmedMs !== null);
  if (confirmed.some(({ recoveredMs }) => recoveredMs === null)) return 'not published';
  if (confirmed.length > 0) return 'taken back';
  return claims.some(({ status }) => status === 'suspected') ? 'still suspected' : 'rejected';
}

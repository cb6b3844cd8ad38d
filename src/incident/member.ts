import type { Severity } from '../contract/anomalies.ts';
import type { Peril } from '../contract/vocabulary.ts';
import type { Bbox } from '../geo/bbox.ts';

/** An anomaly or a change, as far as incidents are concerned. */
export interface Member {
  readonly kind: 'anomaly' | 'change';
  readonly id: string;
  /** Metric of an anomaly, type of a change. */
  readonly what: string;
  /** Whether an anomaly is above (1) or below (-1) what was expected; 1 for a change. */
  readonly sign: 1 | -1;
  /** Peril of an anomaly; null for a change. */
  readonly peril: Peril | null;
  readonly severity: Severity;
  /** First departure [ms since the Unix epoch]. */
  readonly fromMs: number;
  /** End [ms since the Unix epoch]; infinity while it lasts. A change of the ground cover has no duration. */
  readonly toMs: number;
  /** When it was over [ms since the Unix epoch]; infinity while it lasts, or is a change of the ground that stands. */
  readonly overMs: number;
  /** Where it was seen: the station, or else the area or the change. Decides which members belong together. */
  readonly ground: Bbox;
  /** What it concerns: the area of an anomaly, or the change. */
  readonly extent: Bbox;
  /** Areas of the account through which it is visible. */
  readonly areas: readonly { readonly id: string; readonly name: string }[];
  /** How far an anomaly of low greenness departs from what was expected (negative); null for everything else. */
  readonly departure: number | null;
  /** Size of a change [m2]; 0 for an anomaly. */
  readonly areaM2: number;
}

/** Order of members, which does not depend on the order in which they were found. */
export function inOrder(a: Member, b: Member): number {
  return a.fromMs - b.fromMs || compare(a.kind, b.kind) || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

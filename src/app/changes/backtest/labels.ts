import type { Bbox } from '../../../geo/bbox.ts';
import type { AreaGeometry } from '../../../geo/polygon.ts';
import type { Position } from '../../../geo/position.ts';

/** Label of a place where nothing changed. */
export const NO_CHANGE = 'none';

/** A place with a known change, or known to be unchanged, in a time window. */
export interface BacktestLabel {
  readonly id: string;
  readonly place:
    | { readonly kind: 'point'; readonly position: Position }
    | { readonly kind: 'area'; readonly geometry: AreaGeometry; readonly bounds: Bbox };
  /** Start of the window in which the place changed or stayed unchanged [ms since the Unix epoch]; null: no start. */
  readonly fromMs: number | null;
  /** End of the window, exclusive [ms since the Unix epoch]; null: no end. */
  readonly toMs: number | null;
  /** A type of change, or `NO_CHANGE`. */
  readonly label: string;
}

export interface LabelsReader {
  /** @throws InvalidInput naming the lines or features that cannot be used */
  readLabels(path: string): Promise<readonly BacktestLabel[]>;
}

/** Window from the first start to the last end of all labels. Start or end is null if it is null for any label. */
export function windowOf(labels: readonly BacktestLabel[]): Pick<BacktestLabel, 'fromMs' | 'toMs'> {
  const bound = (ends: readonly (number | null)[], pick: (...ends: number[]) => number): number | null =>
    ends.some((end) => end === null) ? null : pick(...ends.map((end) => end!));
  return {
    fromMs: bound(
      labels.map(({ fromMs }) => fromMs),
      (...ends) => ends.reduce((first, end) => Math.min(first, end)),
    ),
    toMs: bound(
      labels.map(({ toMs }) => toMs),
      (...ends) => ends.reduce((last, end) => Math.max(last, end)),
    ),
  };
}

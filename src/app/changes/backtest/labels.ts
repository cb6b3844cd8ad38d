import type { Bbox } from '../../../geo/bbox.ts';
import type { AreaGeometry } from '../../../geo/polygon.ts';
import type { Position } from '../../../geo/position.ts';

/** What a label says of a place where nothing changed. */
export const NO_CHANGE = 'none';

/** A place whose history is known: what changed there, and when. */
export interface BacktestLabel {
  readonly id: string;
  readonly place:
    | { readonly kind: 'point'; readonly position: Position }
    | { readonly kind: 'area'; readonly geometry: AreaGeometry; readonly bounds: Bbox };
  /** When it changed, or between when and when nothing did [ms since the Unix epoch]; null: not bounded. */
  readonly fromMs: number | null;
  /** End of the window, exclusive. */
  readonly toMs: number | null;
  /** A type of change, or `none`. */
  readonly label: string;
}

export interface LabelsReader {
  /** @throws InvalidInput naming the lines or features that cannot be used */
  readLabels(path: string): Promise<readonly BacktestLabel[]>;
}

/** From the first start to the last end of all windows; an end that one of them does not have is open. */
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

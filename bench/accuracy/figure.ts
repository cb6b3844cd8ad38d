/** One line of the report: a figure measured on a set, and its target. */
export interface Figure {
  readonly what: string;
  readonly found: string;
  /** The numbers in `found` by name, where there are several. */
  readonly numbers?: Readonly<Record<string, number>>;
  /** The target as text; empty if the figure has no target. */
  readonly target: string;
  readonly holds: boolean | null;
}

/** Settings of one run of the benchmark. */
export interface Run {
  /** Whether to also redraw the plots of the sets in docs/methods. */
  readonly plots: boolean;
  /** Seed of everything that is drawn anew at a run. */
  readonly seed: number;
}

/** A labelled or simulated data set, and the measurement of the monitor on it. */
export interface AccuracySet {
  readonly name: string;
  /** Whether the data of the set are present. */
  isPresent(): boolean;
  measure(run: Run): Promise<readonly Figure[]>;
}

/** Makes a figure without a target. */
export function plainFigure(what: string, found: string): Figure {
  return { what, found, target: '', holds: null };
}

/** Makes a figure with a target. */
export function targetFigure(what: string, found: string, target: string, holds: boolean): Figure {
  return { what, found, target, holds };
}

/** Formats a share, for example `3 of 27 (0.111)`. */
export function share(part: number, whole: number): string {
  return whole === 0 ? 'none of 0' : `${part} of ${whole} (${(part / whole).toFixed(3)})`;
}

/** One figure in the JSON document of a run: `found` as numbers where it is a number, a share or several numbers. */
export interface FigureRecord {
  readonly set: string;
  readonly what: string;
  readonly found: string | number | Readonly<Record<string, number>>;
  readonly target: string;
  readonly holds: boolean | null;
}

/** Converts a figure for the JSON document. Numbers that are not finite become null there. */
export function figureRecord(set: string, { what, found, numbers, target, holds }: Figure): FigureRecord {
  return { set, what, found: numbers ?? numbersIn(found), target, holds };
}

function numbersIn(found: string): FigureRecord['found'] {
  if (/^-?\d+(\.\d+)?$/.test(found)) return Number(found);
  const counts = /^(\d+) of (\d+) \(\d/.exec(found);
  if (counts === null) return found;
  const [part, whole] = [Number(counts[1]), Number(counts[2])];
  return { part, whole, share: part / whole };
}

/** Formats the figures of one set as aligned lines. */
export function figureLines(set: string, figures: readonly Figure[]): string[] {
  return figures.map(({ what, found, target, holds }) =>
    [
      (holds === null ? '' : holds ? 'pass' : 'MISS').padEnd(5),
      set.padEnd(26),
      what.padEnd(58),
      found.padEnd(44),
      target,
    ]
      .join(' ')
      .trimEnd(),
  );
}

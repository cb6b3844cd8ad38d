/** One line of the report: what was measured on a set, and what was asked. */
export interface Figure {
  readonly what: string;
  readonly found: string;
  /** Empty where nothing is asked: the figure is there to be read. */
  readonly target: string;
  readonly holds: boolean | null;
}

/** A labelled or simulated set, and how the engine is judged on it. */
export interface AccuracySet {
  readonly name: string;
  /** False where its data are not at hand. */
  isPresent(): boolean;
  /** @param plots whether the drawings in docs/methods that come of it are made anew */
  measure(plots: boolean): Promise<readonly Figure[]>;
}

/** A figure to be read, of which nothing is asked. */
export function told(what: string, found: string): Figure {
  return { what, found, target: '', holds: null };
}

/** A figure with a target. */
export function judged(what: string, found: string, target: string, holds: boolean): Figure {
  return { what, found, target, holds };
}

/** Share in words: 3 of 27 (.111). */
export function share(part: number, whole: number): string {
  return whole === 0 ? 'none of 0' : `${part} of ${whole} (${(part / whole).toFixed(3)})`;
}

/** The report of one set, aligned. */
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

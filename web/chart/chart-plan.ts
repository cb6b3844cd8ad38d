/** Colours of lines: names of custom properties in style.css, which has a value for light and for dark. */
export type LineColour = 'ink' | 'accent' | 'warm';

export interface ChartLine {
  readonly label: string;
  readonly colour: LineColour;
  readonly values: readonly (number | null)[];
  readonly points?: boolean;
  readonly dashed?: boolean;
  /** Whether the line uses the right axis. */
  readonly right?: boolean;
  /** Lower and upper bounds; the area between them is shaded. */
  readonly band?: { readonly low: readonly number[]; readonly high: readonly number[] };
}

/** The axes and lines of one chart. */
export interface ChartPlan {
  /** `time`: seconds since the Unix epoch; `log`: a logarithmic scale. Ascending. */
  readonly x: { readonly kind: 'time' | 'log'; readonly label?: string; readonly values: readonly number[] };
  /** Label of the left axis. */
  readonly left: string;
  readonly right?: {
    readonly label: string;
    /** Fixed ends; absent: the axis runs from zero to the largest value. */
    readonly range?: readonly [number, number];
  };
  readonly lines: readonly ChartLine[];
}

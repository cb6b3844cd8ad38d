/**
 * Colour of a line: name of a custom property in style.css, which defines one value for the light setting and one for
 * the dark setting.
 */
export type LineColour = 'ink' | 'soft' | 'accent' | 'warm';

export interface ChartLine {
  readonly label: string;
  readonly colour: LineColour;
  readonly values: readonly (number | null)[];
  readonly points?: boolean;
  /** Whether no line joins the points. */
  readonly loose?: boolean;
  readonly dashed?: boolean;
  /** Whether the line uses the right axis. */
  readonly right?: boolean;
  /** Lower and upper bounds; the area between them is shaded. */
  readonly band?: { readonly low: readonly (number | null)[]; readonly high: readonly (number | null)[] };
}

/** The axes and lines of one chart. */
export interface ChartPlan {
  /** Horizontal axis. `values` ascend; for `time` they are seconds since the Unix epoch. `log`: logarithmic scale. */
  readonly x: { readonly kind: 'time' | 'log'; readonly label?: string; readonly values: readonly number[] };
  /** Label of the left axis. */
  readonly left: string;
  readonly right?: {
    readonly label: string;
    /** Fixed ends of the axis; default: from zero to 5 % above the largest value. */
    readonly range?: readonly [number, number];
  };
  readonly lines: readonly ChartLine[];
  /** Vertical lines at values of the horizontal axis, with a word beside each. */
  readonly marks?: readonly { readonly at: number; readonly label: string; readonly colour: LineColour }[];
}

import { useEffect, useRef, useState } from 'preact/hooks';
import type { PlotHandle } from './plot.ts';

/** Colours a line can have; each is a custom property of the style sheet, for light and dark. */
export type LineColour = 'ink' | 'accent' | 'warm';

export interface ChartLine {
  readonly label: string;
  readonly colour: LineColour;
  readonly values: readonly (number | null)[];
  readonly points?: boolean;
  readonly dashed?: boolean;
  /** Measured on the right axis. */
  readonly right?: boolean;
  /** Lower and upper bound to shade. */
  readonly band?: { readonly low: readonly number[]; readonly high: readonly number[] };
}

/** What a chart draws. */
export interface ChartPlan {
  /** `time`: seconds since the Unix epoch; `log`: a logarithmic scale. Ascending. */
  readonly x: { readonly kind: 'time' | 'log'; readonly label?: string; readonly values: readonly number[] };
  /** What the left axis measures. */
  readonly left: string;
  readonly right?: {
    readonly label: string;
    /** Fixed ends; absent: from zero to the largest value. */
    readonly range?: readonly [number, number];
  };
  readonly lines: readonly ChartLine[];
}

/** A chart for the eyes, and the same numbers as a table for whoever wants them exact or cannot see it. */
export function Chart(props: {
  readonly plan: ChartPlan;
  readonly summary: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}) {
  const { plan } = props;
  const container = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let gone = false;
    let plot: PlotHandle | undefined;
    const draw = async (): Promise<void> => {
      const { drawPlot } = await import('./plot.ts');
      if (!gone) plot = drawPlot(container.current!, plan);
    };
    draw().catch(() => setFailed(true));
    return () => {
      gone = true;
      plot?.remove();
    };
  }, [plan]);
  return (
    <figure class="chart">
      <div ref={container} class="plot" role="img" aria-label={props.summary} />
      {failed && <p class="note">The chart could not be drawn; its values are below.</p>}
      <details open={failed}>
        <summary>Values</summary>
        <div class="scroll tall">
          <table>
            <thead>
              <tr>
                {props.head.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {props.rows.map((row, i) => (
                <tr key={i}>
                  {row.map((cell, j) => (
                    <td key={j}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

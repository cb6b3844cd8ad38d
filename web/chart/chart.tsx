import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChartPlan } from './chart-plan.ts';
import type { PlotHandle } from './plot.ts';

/** Draws a chart and lists its numbers in a table, so that exact values can be read, also by screen readers. */
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

import { useMemo } from 'preact/hooks';
import type { Provenance } from '../../src/client/index.ts';
import type { ChartPlan } from '../chart/chart-plan.ts';
import { Chart } from '../chart/chart.tsx';
import { day, number, percent } from '../format.ts';
import { evidenceColumns } from './evidence.ts';

/** Chart of the seed pixel: observed value, expected value and posterior probability over time. */
export function EvidenceChart({
  evidence,
  metric,
}: {
  readonly evidence: Provenance['evidence'];
  readonly metric: string;
}) {
  const columns = useMemo(() => evidenceColumns(evidence), [evidence]);
  const plan = useMemo(
    (): ChartPlan => ({
      x: { kind: 'time', values: columns.time },
      left: metric,
      right: { label: 'posterior', range: [0, 1] },
      lines: [
        { label: 'observed', colour: 'ink', values: columns.value, points: true },
        { label: 'expected', colour: 'accent', values: columns.expected, dashed: true },
        { label: 'posterior', colour: 'warm', values: columns.posterior, right: true },
      ],
    }),
    [columns],
  );
  if (columns.time.length === 0) return <p class="empty">This change has no evidence by date.</p>;
  return (
    <Chart
      plan={plan}
      summary={`${columns.time.length} observations; the posterior ends at ${percent(columns.posterior.at(-1) ?? 0)}.`}
      head={['Date', 'Observed', 'Expected', 'Posterior']}
      rows={columns.time.map((seconds, i) => [
        day(new Date(seconds * 1000).toISOString()),
        shown(columns.value[i]),
        shown(columns.expected[i]),
        columns.posterior[i] == null ? '–' : percent(columns.posterior[i]),
      ])}
    />
  );
}

function shown(value: number | null | undefined): string {
  return value == null ? '–' : number(value);
}

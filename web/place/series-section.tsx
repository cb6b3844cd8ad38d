import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { allOf } from '../all-of.ts';
import { useAnswer } from '../answer.ts';
import type { ChartPlan } from '../chart/chart-plan.ts';
import { Chart } from '../chart/chart.tsx';
import { SERIES_PAGE_POINTS } from '../../src/contract/limits.ts';
import { ExportButtons } from '../export/export-buttons.tsx';
import { day, number } from '../format.ts';
import { Waiting } from '../parts.tsx';
import { Problem } from '../problem.tsx';
import type { Place } from '../route.ts';
import { useClient } from '../session.ts';

const FIRST_METRIC = 'ndvi'; // metric that every service knows, even before any data are ingested

/** All observations of a metric at a place. `first` is the metric shown until the user chooses another metric. */
export function SeriesSection({
  at,
  first,
  children,
}: {
  readonly at: Place;
  readonly first: string | undefined;
  /** A note on why this place is shown. */
  readonly children?: ComponentChildren;
}) {
  const client = useClient();
  const metrics = useAnswer((signal) => client.listMetrics({ signal }), []);
  const [chosen, setChosen] = useState(first);
  // Metrics for which this service has data come first.
  const known = metrics.value?.metrics.toSorted(
    (a, b) => Number(b.collections > 0) - Number(a.collections > 0),
  );
  const metric = chosen ?? known?.find(({ collections }) => collections > 0)?.key ?? FIRST_METRIC;
  const found = useAnswer(
    async (signal) =>
      metrics.waiting ? undefined : allOf(client.series({ lat: at.lat, lng: at.lng, metric }, { signal })),
    [at.lat, at.lng, metric, metrics.waiting],
  );
  const points = found.value;
  const card = known?.find(({ key }) => key === metric);
  const plan = useMemo(
    (): ChartPlan => ({
      x: { kind: 'time', values: points?.map(({ t }) => Date.parse(t) / 1000) ?? [] },
      left: card === undefined || card.unit === '1' ? metric : `${metric} [${card.unit}]`,
      lines: [{ label: metric, colour: 'accent', values: points?.map(({ v }) => v) ?? [], points: true }],
    }),
    [points],
  );
  return (
    <section aria-labelledby="series-heading">
      <div class="heading">
        <h2 id="series-heading">Series</h2>
        <label class="inline">
          <span>Metric</span>
          <select value={metric} onChange={(event) => setChosen(event.currentTarget.value)}>
            {(known ?? [{ key: metric, collections: 0 }]).map(({ key, collections }) => (
              <option key={key} value={key}>
                {collections > 0 ? key : `${key} (nothing ingested)`}
              </option>
            ))}
          </select>
        </label>
      </div>
      {children && <p class="note">{children}</p>}
      <Problem error={metrics.error ?? found.error} again={metrics.error ? metrics.again : found.again} />
      {points === undefined && found.waiting && <Waiting for="observations" />}
      {points?.length === 0 && (
        <p class="empty">
          No data: no {metric} was observed here. Only ingested observations are shown, never estimates.
        </p>
      )}
      {points !== undefined && points.length > 0 && (
        <Chart
          plan={plan}
          summary={`${points.length} observations of ${metric}, ${day(points[0]!.t)} to ${day(points.at(-1)!.t)}`}
          head={['Date', metric]}
          rows={points.map(({ t, v }) => [t, number(v)])}
        />
      )}
      {points !== undefined && points.length > 0 && (
        <ExportButtons
          list="/v1/historical"
          name={`${metric}-series`}
          query={{ lat: at.lat, lng: at.lng, metric }}
          formats={['csv', 'parquet']}
          limit={SERIES_PAGE_POINTS}
        />
      )}
      {card && points !== undefined && points.length > 0 && <p class="note">{card.source}.</p>}
    </section>
  );
}

import { useMemo } from 'preact/hooks';
import type { Change } from '../../src/client/index.ts';
import { allOf } from '../all-of.ts';
import { type Answer, useAnswer } from '../answer.ts';
import type { ChartPlan } from '../chart/chart-plan.ts';
import { Chart } from '../chart/chart.tsx';
import { day, number, position } from '../format.ts';
import { useUnits } from '../metric-units.ts';
import { Waiting } from '../parts.tsx';
import type { Place } from '../route.ts';
import { routeHref } from '../route.ts';
import { useClient } from '../session.ts';
import { changeRecord } from './record.ts';

/**
 * The record of the pixel that departed first since its beginning: observed, expected with its band, the break and the
 * observations that were used. `seed` is where it lies; without it the evidence alone is shown.
 */
export function RecordSection({
  change,
  seed,
}: {
  readonly change: Change;
  readonly seed: Answer<Place | undefined>;
}) {
  const client = useClient();
  const unit = useUnits()(change.metric);
  const { metric, provenance } = change;
  const at = seed.value;
  const series = useAnswer(
    async (signal) =>
      at === undefined ? undefined : allOf(client.series({ lat: at.lat, lng: at.lng, metric }, { signal })),
    [at?.lat, at?.lng, metric],
  );
  const isWaiting = seed.waiting || (at !== undefined && series.value === undefined && series.waiting);
  const record = useMemo(() => changeRecord(series.value ?? [], provenance), [series.value, provenance]);
  const plan = useMemo(
    (): ChartPlan => ({
      x: { kind: 'time', values: record.time },
      left: unit === '' ? metric : `${metric} [${unit.trim()}]`,
      lines: [
        {
          label: 'expected',
          colour: 'accent',
          values: record.expected,
          dashed: true,
          band: { low: record.low, high: record.high },
        },
        { label: 'observed', colour: 'soft', values: record.value, points: true },
        { label: 'used', colour: 'ink', values: record.used, points: true, loose: true },
      ],
      marks: [
        { at: Date.parse(change.first_anomaly_at) / 1000, label: 'break', colour: 'warm' },
        ...(change.confirmed_at === null
          ? []
          : [{ at: Date.parse(change.confirmed_at) / 1000, label: 'confirmed', colour: 'accent' as const }]),
        ...(change.recovered_at === null
          ? []
          : [{ at: Date.parse(change.recovered_at) / 1000, label: 'recovered', colour: 'accent' as const }]),
      ],
    }),
    [record, unit],
  );
  return (
    <section aria-labelledby="record-heading">
      <h2 id="record-heading">Record</h2>
      <p class="note">
        {metric} where the change began
        {at && (
          <>
            , at <a href={routeHref({ pane: 'place', at, metric })}>{position(at.lat, at.lng)}</a>
          </>
        )}
        . The band holds 99 of 100 observations of undisturbed ground.
      </p>
      {isWaiting && <Waiting for="the record" />}
      {!isWaiting && record.time.length === 0 && <p class="empty">This change has no record by date.</p>}
      {!isWaiting && record.time.length > 0 && (
        <Chart
          plan={plan}
          summary={`${record.time.length} observations of ${metric}; the break is on ${day(change.first_anomaly_at)}.`}
          head={['Date', 'Observed', 'Expected', 'Band', 'Used']}
          rows={record.time.map((seconds, i) => [
            day(new Date(seconds * 1000).toISOString()),
            shown(record.value[i]),
            shown(record.expected[i]),
            record.low[i] == null ? '–' : `${shown(record.low[i])} to ${shown(record.high[i])}`,
            record.used[i] == null ? '' : 'yes',
          ])}
        />
      )}
    </section>
  );
}

function shown(value: number | null | undefined): string {
  return value == null ? '–' : number(value);
}

import { useMemo } from 'preact/hooks';
import type { RiskAssessment } from '../../src/client/index.ts';
import type { ChartPlan } from '../chart/chart-plan.ts';
import { Chart } from '../chart/chart.tsx';
import { day, number } from '../format.ts';
import { Facts } from '../parts.tsx';

type Explanation = NonNullable<RiskAssessment['explain']>;

const EVIDENCE: Readonly<Record<Explanation['evidence']['class'], string>> = {
  none: 'none: a prior for any place',
  regional: 'regional: climate, country or distance to the shore',
  terrain: 'terrain: heights, soil or land cover',
  map: 'a coarse map of the hazard',
  fine: 'a fine map of the hazard',
  measured: 'measured at the place',
};

/** Explanation of a score: 90 % range, evidence, hazard curve, damage, layers and reasons. */
export function RiskExplanation(props: {
  readonly explain: Explanation;
  readonly version: string | undefined;
}) {
  const { explain } = props;
  const yearly = explain.expected_annual_damage_ratio * 100;
  return (
    <div class="explanation">
      <Facts
        of={{
          'Expected annual damage': `${number(yearly)} % of a reference building’s value`,
          'Score, 90 % range': `${number(explain.score_range.low)} to ${number(explain.score_range.high)}`,
          Evidence: EVIDENCE[explain.evidence.class],
          Information: explain.evidence.bits > 0 ? `${number(explain.evidence.bits)} bits` : undefined,
          'Hazard curve of': explain.hazard_curve.length > 0 ? explain.intensity : undefined,
          Model: props.version,
        }}
      />
      {explain.reasons.length > 0 && (
        <ul class="reasons">
          {explain.reasons.map(({ code, message }) => (
            <li key={code + message}>
              <code>{code}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {explain.hazard_curve.length > 0 && <HazardChart explain={explain} />}
      {explain.layers.length > 0 && (
        <>
          <h3>Layers</h3>
          <ul class="rows">
            {explain.layers.map((layer) => (
              <li key={`${layer.layer} ${layer.return_period_years}`}>
                <span class="line">
                  <span>
                    {layer.layer}
                    {layer.return_period_years !== null &&
                      `, ${number(layer.return_period_years)} years`}{' '}
                    <small>{layer.version}</small>
                  </span>
                  <span class="nowrap">
                    {layer.value === null ? 'no data' : withUnit(layer.value, layer.unit)}
                  </span>
                </span>
                <small>
                  {resolution(layer.resolution_m)}, {day(layer.date)}. {layer.source} ({layer.licence}).
                </small>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function HazardChart({ explain }: { readonly explain: Explanation }) {
  const plan = useMemo((): ChartPlan => {
    const curve = explain.hazard_curve;
    return {
      x: {
        kind: 'log',
        label: 'return period, years',
        values: curve.map(({ return_period_years }) => return_period_years),
      },
      left: `intensity ${/\[[^\]]*\]/.exec(explain.intensity)?.[0] ?? ''}`,
      right: { label: 'damage ratio' },
      lines: [
        {
          label: 'median intensity',
          colour: 'accent',
          values: curve.map(({ intensity }) => intensity),
          band: { low: curve.map(({ low }) => low), high: curve.map(({ high }) => high) },
        },
        {
          label: 'mean damage ratio',
          colour: 'warm',
          values: curve.map(({ damage_ratio }) => damage_ratio),
          right: true,
          dashed: true,
        },
      ],
    };
  }, [explain]);
  return (
    <Chart
      plan={plan}
      summary={`Hazard curve over ${explain.hazard_curve.length} return periods`}
      head={['Years', 'Median', '5th to 95th percentile', 'Mean damage ratio']}
      rows={explain.hazard_curve.map((row) => [
        number(row.return_period_years),
        number(row.intensity),
        `${number(row.low)} to ${number(row.high)}`,
        number(row.damage_ratio),
      ])}
    />
  );
}

function resolution(metres: number): string {
  return metres >= 1000 ? `${number(metres / 1000)} km` : `${number(metres)} m`;
}

/** A value of a layer; a class is named as one, and a plain number has no unit. */
function withUnit(value: number, unit: string): string {
  if (unit === 'class') return `class ${number(value)}`;
  return unit === '1' ? number(value) : `${number(value)} ${unit}`;
}

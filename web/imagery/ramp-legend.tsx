import type { Legend } from '../../src/client/index.ts';
import { number } from '../format.ts';

/** What the ends of a colour ramp show on the ground, by metric. */
const ENDS: Readonly<Record<string, readonly [low: string, high: string]>> = {
  ndvi: ['road, bare ground', 'green'],
  evi: ['road, bare ground', 'green'],
  nbr: ['burnt', 'green'],
  mndwi: ['dry', 'water'],
  ndwi: ['dry', 'water'],
  ndmi: ['dry', 'moist'],
  ndbi: ['green', 'built, bare'],
  displacement: ['sinking', 'rising'],
};

/** The colours of a metric with the values of their ends, and what they show. */
export function RampLegend(props: {
  readonly legend: Legend;
  readonly metric: string;
  readonly unit: string;
}) {
  const { legend, metric, unit } = props;
  const [low, high] = ENDS[metric] ?? ['', ''];
  const suffix = unit === '1' ? '' : ` ${unit}`;
  return (
    <div class="legend">
      <span>{`${low} ${number(legend.min)}${suffix}`.trim()}</span>
      <span
        class="ramp"
        style={{ background: `linear-gradient(to right, ${legend.colours.join(', ')})` }}
        role="img"
        aria-label={`Colours from ${number(legend.min)} to ${number(legend.max)}`}
      />
      <span>{`${number(legend.max)}${suffix} ${high}`.trim()}</span>
    </div>
  );
}
